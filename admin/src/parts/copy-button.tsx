import Button from '@mui/material/Button';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  readonly value: string;
  /** Name of the copied value, if the page has several such buttons. */
  readonly of?: string;
}

/** Copies a text and reports the result. */
export const CopyButton = ({ value, of }: CopyButtonProps) => {
  const text = useText();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      // Fails without https or permission: the text can still be selected.
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
