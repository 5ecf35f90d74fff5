import Alert from '@mui/material/Alert';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { UserPicker } from '../parts/own-pickers.tsx';
import { PageForm } from '../parts/page-form.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type CreatedApiKey, CreatedKey, type NewApiKey } from './created-key.tsx';
import { ExpiryPicker } from './expiry.tsx';
import { type Expiry, expiresAt, firstExpiry } from './expiry-date.ts';

/** Whose name stands beside the key; the key is shown also where it cannot be had. */
const ownerOf = async (userId: number | null): Promise<string> => {
  const known = await send<{ username: string }>('GET', `/admin/users/${userId}`).catch(() => undefined);
  return known?.data.username ?? String(userId);
};

interface KeyInput {
  readonly user_id: number | null;
  readonly name: string;
  readonly expires_at: Expiry;
}

/** Creates a key for any user. The key itself passes through this page's state only: no cache ever holds it. */
export const NewKey = () => {
  const text = useText();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const replaces = Number(parameters.get('replaces')) || undefined;
  const [created, setCreated] = useState<CreatedApiKey>();
  const create = async (input: KeyInput): Promise<() => void> => {
    const body = { api_key: { ...input, expires_at: expiresAt(input.expires_at, Date.now()) } };
    const { data } = await send<NewApiKey>('POST', '/admin/api_keys', { body });
    const owner = await ownerOf(input.user_id);
    return () => setCreated({ ...data, owner });
  };
  if (created !== undefined)
    return (
      <CreatedKey
        created={created}
        onDone={() => void navigate(replaces === undefined ? '/api_keys' : `/api_keys/${replaces}`)}
      />
    );
  return (
    <PageForm<KeyInput>
      title={text('keys.create')}
      lead={text('keys.createLead')}
      first={{
        user_id: Number(parameters.get('user_id')) || null,
        name: parameters.get('name') ?? '',
        expires_at: firstExpiry,
      }}
      action={text('keys.create')}
      back="/api_keys"
      missing={({ expires_at }) =>
        expiresAt(expires_at, Date.now()) === undefined ? { expires_at: text('keys.noEnd') } : {}
      }
      onSave={create}
    >
      {(input, change, errors) => (
        <>
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
        </>
      )}
    </PageForm>
  );
};
