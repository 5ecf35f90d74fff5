/** The dialog that sets a new password of a user. */

import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { useChanged } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { User } from './user.ts';

/** Characters that are not confused when read aloud or copied by hand. */
const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** 20 characters of 54: more than 115 bits. Bytes that would favour some characters are discarded. */
const generate = (): string => {
  const limit = 256 - (256 % letters.length);
  let made = '';
  while (made.length < 20) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < limit && made.length < 20) made += letters[byte % letters.length];
  }
  return made;
};

interface ResetPasswordProps {
  readonly user: Pick<User, 'id' | 'username' | 'must_change_password'>;
  readonly onClose: () => void;
}

/** Sets a new password of another user; their sessions end. */
export const ResetPassword = ({ user, onClose }: ResetPasswordProps) => {
  const text = useText();
  const changed = useChanged();
  const [password, setPassword] = useState('');
  const [mustChange, setMustChange] = useState(user.must_change_password);
  return (
    <DialogForm
      title={text('users.resetTitle', { name: user.username })}
      lead={text('users.resetLead')}
      action={text('users.reset')}
      disabled={password === ''}
      isChanged={password !== ''}
      fields={['password']}
      onSubmit={async () => {
        const body = { user: { password, must_change_password: mustChange } };
        await send('PATCH', `/admin/users/${user.id}`, { body });
        await changed(text('users.passwordReset'));
      }}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField
            label={text('account.newPassword')}
            value={password}
            autoFocus
            autoComplete="off"
            onChange={(event) => setPassword(event.target.value)}
            error={errors['password'] !== undefined}
            helperText={errors['password'] ?? text('account.passwordHelp')}
            slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: monospace } } }}
          />
          <Button size="small" sx={{ justifySelf: 'start' }} onClick={() => setPassword(generate())}>
            {text('users.generate')}
          </Button>
          <FormControlLabel
            control={
              <Checkbox checked={mustChange} onChange={(event) => setMustChange(event.target.checked)} />
            }
            label={text('users.mustChangeFirst')}
          />
        </>
      )}
    </DialogForm>
  );
};
