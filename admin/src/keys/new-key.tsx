/** The form of a new API key. */

import Alert from '@mui/material/Alert';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { UserPicker } from '../parts/own-pickers.tsx';
import { PageForm } from '../parts/page-form.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { AccessFields, type AccessInput, toForm, toRequest, validateAccess } from './access-fields.tsx';
import type { ApiKey } from './api-key.ts';
import { type CreatedApiKey, CreatedKey, type NewApiKey } from './created-key.tsx';
import { ExpiryPicker } from './expiry.tsx';
import { type Expiry, expiresAt, firstExpiry } from './expiry-date.ts';

/** Name of the owner, shown next to the key; undefined if it cannot be read: the key is shown anyway. */
const ownerOf = async (userId: number | null): Promise<string> => {
  const known = await send<{ username: string }>('GET', `/admin/users/${userId}`).catch(() => undefined);
  return known?.data.username ?? String(userId);
};

interface KeyInput extends AccessInput {
  readonly user_id: number | null;
  readonly name: string;
  readonly expires_at: Expiry;
}

/** Creates a key for any user, or a replacement with the same restrictions. */
export const NewKey = () => {
  const [parameters] = useSearchParams();
  const replaces = Number(parameters.get('replaces')) || undefined;
  const query = useQuery({
    queryKey: ['replaced key', replaces],
    enabled: replaces !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await send<ApiKey>('GET', `/admin/api_keys/${replaces}`)).data,
  });
  if (replaces === undefined) return <KeyForm replaced={undefined} />;
  return <Loaded query={query}>{(replaced) => <KeyForm replaced={replaced} />}</Loaded>;
};

/** Only the state of this form holds the key: no cache ever does. */
const KeyForm = ({ replaced }: { readonly replaced: ApiKey | undefined }) => {
  const text = useText();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const [created, setCreated] = useState<CreatedApiKey>();
  const create = async (input: KeyInput): Promise<() => void> => {
    const { user_id, name } = input;
    const restrictions = toRequest(input);
    const end = expiresAt(input.expires_at, Date.now());
    const body = { api_key: { user_id, name, expires_at: end, ...restrictions } };
    const { data } = await send<NewApiKey>('POST', '/admin/api_keys', { body });
    const owner = await ownerOf(input.user_id);
    return () => setCreated({ ...data, owner, access: restrictions });
  };
  if (created !== undefined)
    return (
      <CreatedKey
        created={created}
        onDone={() => void navigate(replaced === undefined ? '/api_keys' : `/api_keys/${replaced.id}`)}
      />
    );
  return (
    <PageForm<KeyInput>
      title={text('titles.newKey')}
      lead={text('keys.createLead')}
      first={{
        user_id: replaced?.user.id ?? (Number(parameters.get('user_id')) || null),
        name: replaced?.name ?? parameters.get('name') ?? '',
        expires_at: firstExpiry,
        ...toForm(replaced ?? { scopes: null, networks: null, limit: null, quota: null }),
      }}
      action={text('titles.newKey')}
      back="/api_keys"
      missing={(input) => ({
        ...(expiresAt(input.expires_at, Date.now()) === undefined
          ? { expires_at: text('keys.expiryMissing') }
          : {}),
        ...validateAccess(text, input),
      })}
      onSave={create}
    >
      {(input, change, errors) => (
        <>
          {replaced === undefined ? null : <Alert severity="info">{text('keys.replaceLead')}</Alert>}
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
          <AccessFields
            input={input}
            onChange={change}
            errors={errors}
            end={expiresAt(input.expires_at, Date.now())}
          />
        </>
      )}
    </PageForm>
  );
};
