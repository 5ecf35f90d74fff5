import Button from '@mui/material/Button';
import { useGetIdentity } from 'ra-core';
import { applicationTitle } from '../application.ts';
import { Icon } from '../parts/icon.tsx';
import { saveFile } from '../parts/save-file.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useText } from '../texts/provider.ts';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows new recovery codes, once. */
export const RecoveryCodes = ({ codes, onClose }: RecoveryCodesProps) => {
  const text = useText();
  const { identity } = useGetIdentity();
  const username = String(identity?.['username'] ?? '');
  const save = (): void => {
    const head = `${applicationTitle} ${window.location.origin} ${username}\n\n`;
    saveFile('gatewright-recovery-codes.txt', [head, ...codes.map((code) => `${code}\n`)], 'text/plain');
  };
  return (
    <ShownOnce
      title={text('factor.codes.title')}
      lead={text('factor.codes.shownLead')}
      secrets={[[text('factor.codes.title'), codes.join('\n')]]}
      kept={text('factor.codes.confirmStored')}
      onClose={onClose}
    >
      <Button startIcon={<Icon name="download" />} onClick={save} sx={{ alignSelf: 'flex-start' }}>
        {text('factor.codes.download')}
      </Button>
    </ShownOnce>
  );
};
