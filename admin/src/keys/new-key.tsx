import Alert from '@mui/material/Alert';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { type FormEvent, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { FormBar } from '../parts/form-bar.tsx';
import { Page } from '../parts/page.tsx';
import { useRefusal } from '../parts/refusal.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { useInput } from '../parts/use-input.ts';
import { UserPicker } from '../parts/user-picker.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type CreatedApiKey, CreatedKey, type NewApiKey } from './created-key.tsx';
import { ExpiryPicker } from './expiry.tsx';
import { expiresAt, firstExpiry } from './expiry-date.ts';

/** Whose name stands beside the key; the key is shown also where it cannot be had. */
const ownerOf = async (userId: number | null): Promise<string> => {
  const known = await send<{ username: string }>('GET', `/admin/users/${userId}`).catch(() => undefined);
  return known?.data.username ?? String(userId);
};

/** Creates a key for any user. The key itself passes through this page's state only: no cache ever holds it. */
export const NewKey = () => {
  const text = useText();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const { input, changes, change, discard } = useInput({
    user_id: Number(parameters.get('user_id')) || null,
    name: parameters.get('name') ?? '',
    expires_at: firstExpiry,
  });
  const replaces = Number(parameters.get('replaces')) || undefined;
  const { saved } = useUnsaved(changes > 0);
  const { refusal, refuse, refuseFields, clear } = useRefusal();
  const errors = refusal.fields;
  const [busy, setBusy] = useState(false);
  const [created, setCreated] = useState<CreatedApiKey>();
  const end = expiresAt(input.expires_at, Date.now());

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (end === undefined) {
      refuseFields({ expires_at: text('keys.noEnd') });
      return;
    }
    setBusy(true);
    clear();
    try {
      const body = { api_key: { ...input, expires_at: end } };
      const { data } = await send<NewApiKey>('POST', '/admin/api_keys', { body });
      saved();
      setCreated({ ...data, owner: await ownerOf(input.user_id) });
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title={text('keys.create')} lead={text('keys.createLead')} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1.5 }}>
          {replaces === undefined ? null : <Alert severity="info">{text('keys.replaceLead')}</Alert>}
          <UserPicker
            label={text('keys.owner')}
            value={input.user_id}
            onChange={(user_id) => change({ user_id })}
            error={errors['user_id']}
            required
          />
          <TextField
            label={text('keys.name')}
            value={input.name}
            required
            onChange={(event) => change({ name: event.target.value })}
            error={errors['name'] !== undefined}
            helperText={errors['name'] ?? text('keys.nameHelp')}
          />
          <ExpiryPicker
            value={input.expires_at}
            onChange={(expires_at) => change({ expires_at })}
            error={errors['expires_at']}
          />
          <FormBar
            changes={changes}
            refusal={refusal}
            fields={Object.keys(input)}
            busy={busy}
            action={text('keys.create')}
            back="/api_keys"
            onDiscard={discard}
          />
        </Stack>
      </Paper>
      {created === undefined ? null : (
        <CreatedKey
          created={created}
          onClose={() => void navigate(replaces === undefined ? '/api_keys' : `/api_keys/${replaces}`)}
        />
      )}
    </Page>
  );
};
