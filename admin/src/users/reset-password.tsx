import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type FormEvent, useState } from 'react';
import { failureOf, useTell } from '../parts/problem.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { User } from './user.ts';

/** Easily told apart when read aloud or copied by hand. */
const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** 20 characters of 54: more than 115 bits. Bytes that would favour some letters are thrown away. */
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

/** A new password for somebody else; their sessions end with it. */
export const ResetPassword = ({ user, onClose }: ResetPasswordProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [mustChange, setMustChange] = useState(user.must_change_password);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { saved, leave } = useUnsaved(password !== '');

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const body = { user: { password, must_change_password: mustChange } };
      await send('PATCH', `/admin/users/${user.id}`, { body });
      await client.invalidateQueries();
      notify(text('users.passwordReset'), { type: 'success' });
      saved();
      onClose();
    } catch (failure) {
      const found = failureOf(failure).fields['password'];
      setError(found);
      if (found === undefined) tell(failure);
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={() => leave(onClose)} fullWidth maxWidth="xs" aria-labelledby="reset-password">
      <Stack component="form" noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle id="reset-password">{text('users.resetTitle', { name: user.username })}</DialogTitle>
        <DialogContent>
          <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('users.resetLead')}</Typography>
          <TextField
            label={text('users.newPassword')}
            value={password}
            autoFocus
            autoComplete="off"
            onChange={(event) => setPassword(event.target.value)}
            error={error !== undefined}
            helperText={error ?? text('users.passwordHelp')}
            slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: monospace } } }}
          />
          <Button size="small" onClick={() => setPassword(generate())}>
            {text('users.generate')}
          </Button>
          <FormControlLabel
            sx={{ display: 'flex', mt: 1 }}
            control={
              <Checkbox checked={mustChange} onChange={(event) => setMustChange(event.target.checked)} />
            }
            label={text('users.mustChangeFirst')}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{text('common.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy} disabled={password === ''}>
            {text('users.reset')}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
};
