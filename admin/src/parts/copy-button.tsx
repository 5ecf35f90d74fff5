import Button from '@mui/material/Button';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  readonly value: string;
  /** The name of the copied value, where several such buttons stand on a page. */
  readonly of?: string;
}

/** Puts a text on the clipboard, and says whether it is there. */
export const CopyButton = ({ value, of }: CopyButtonProps) => {
  const text = useText();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      // Without https, or where it is forbidden: the text can still be selected.
      setState('failed');
    }
  };
  const said = text(
    state === 'idle' ? 'common.copy' : state === 'copied' ? 'common.copied' : 'common.notCopied',
  );
  return (
    <Button
      size="small"
      startIcon={<Icon name="copy" />}
      onClick={() => void copy()}
      aria-live="polite"
      aria-label={of === undefined ? undefined : `${said}: ${of}`}
      sx={{ flexShrink: 0 }}
    >
      {said}
    </Button>
  );
};
