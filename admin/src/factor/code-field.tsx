import TextField from '@mui/material/TextField';
import type { Ref } from 'react';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';

interface CodeFieldProps {
  /** True for a recovery code instead of the six digits of an authenticator app. */
  readonly recovery?: boolean;
  readonly value: string;
  readonly onChange: (code: string) => void;
  readonly error?: string | undefined;
  readonly autoFocus?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
}

/** The digits of a code, typed in groups or with full-width digits. */
const digitsOf = (typed: string): string => typed.normalize('NFKC').replace(/\D/g, '').slice(0, 6);

/** An input for a one-time code. Phones suggest the code and show a suitable keyboard. */
export const CodeField = ({
  recovery = false,
  value,
  onChange,
  error,
  autoFocus = false,
  ref,
}: CodeFieldProps) => {
  const text = useText();
  return (
    <TextField
      label={text(recovery ? 'factor.recoveryCode' : 'factor.code')}
      name={recovery ? 'recovery_code' : 'code'}
      inputRef={ref}
      autoComplete={recovery ? 'off' : 'one-time-code'}
      autoFocus={autoFocus}
      required
      value={value}
      onChange={(event) => onChange(recovery ? event.target.value : digitsOf(event.target.value))}
      error={error !== undefined}
      helperText={error}
      slotProps={{
        htmlInput: {
          ...(recovery ? {} : { inputMode: 'numeric', pattern: '[0-9]*' }),
          autoCapitalize: 'none',
          spellCheck: false,
          style: { fontFamily: monospace, letterSpacing: recovery ? undefined : '0.2em' },
        },
      }}
    />
  );
};
