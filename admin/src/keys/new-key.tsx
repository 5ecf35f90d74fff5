import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { type FormEvent, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { UserPicker } from '../parts/user-picker.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { CreatedKey, type NewApiKey } from './created-key.tsx';
import { ExpiryPicker } from './expiry.tsx';
import { expiresAt, firstExpiry } from './expiry-date.ts';

/** Creates a key for any user. The key itself passes through this page's state only: no cache ever holds it. */
export const NewKey = () => {
  const text = useText();
  const tell = useTell();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const [userId, setUserId] = useState<number | null>(Number(parameters.get('user_id')) || null);
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState(firstExpiry);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const [created, setCreated] = useState<NewApiKey>();
  const end = expiresAt(expiry, Date.now());

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setErrors({});
    try {
      const body = { api_key: { name, user_id: userId, expires_at: end } };
      const { data } = await send<NewApiKey>('POST', '/admin/api_keys', { body });
      setCreated(data);
    } catch (error) {
      const { fields } = failureOf(error);
      setErrors(fields);
      if (Object.keys(fields).length === 0) tell(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title={text('keys.create')} lead={text('keys.createLead')} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1.5 }}>
          <UserPicker
            label={text('keys.owner')}
            value={userId}
            onChange={setUserId}
            error={errors['user_id']}
            required
          />
          <TextField
            label={text('keys.name')}
            value={name}
            required
            onChange={(event) => setName(event.target.value)}
            error={errors['name'] !== undefined}
            helperText={errors['name'] ?? text('keys.nameHelp')}
          />
          <ExpiryPicker value={expiry} onChange={setExpiry} error={errors['expires_at']} />
          <Stack direction="row" sx={{ gap: 1, mt: 1 }}>
            <Button type="submit" variant="contained" loading={busy} disabled={end === undefined}>
              {text('keys.create')}
            </Button>
            <LinkButton to="/api_keys">{text('common.cancel')}</LinkButton>
          </Stack>
        </Stack>
      </Paper>
      {created === undefined ? null : (
        <CreatedKey created={created} onClose={() => void navigate('/api_keys')} />
      )}
    </Page>
  );
};
