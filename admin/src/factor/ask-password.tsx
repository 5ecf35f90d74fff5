import TextField from '@mui/material/TextField';
import { type ReactNode, useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { useText } from '../texts/provider.ts';
import { PasskeyError } from './passkey.ts';

interface AskPasswordProps {
  readonly title: string;
  readonly lead: string;
  /** Label of the submit button. */
  readonly action: string;
  readonly dangerous?: boolean;
  /** Further inputs, above the password. */
  readonly children?: ReactNode;
  /** Continues with the password. @throws the refusal of the service */
  readonly onSubmit: (password: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the own password before a change of the second factor: an unattended page must not be enough. */
export const AskPassword = ({ children, onSubmit, ...props }: AskPasswordProps) => {
  const text = useText();
  const [password, setPassword] = useState('');
  return (
    <DialogForm
      {...props}
      disabled={password === ''}
      isChanged={false}
      fields={['password']}
      explain={(failure) =>
        failure instanceof PasskeyError
          ? text(failure.known ? 'factor.passkeyKnown' : 'factor.passkeyNotGiven')
          : undefined
      }
      onSubmit={() => onSubmit(password)}
      onDone={() => {}}
    >
      {(errors) => (
        <>
          {children}
          <TextField
            label={text('account.currentPassword')}
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={errors['password'] !== undefined}
            helperText={errors['password']}
          />
        </>
      )}
    </DialogForm>
  );
};
