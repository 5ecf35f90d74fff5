import { useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { useChanged } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';
import { ExpiryPicker } from './expiry.tsx';
import { expiresAt, firstExpiry } from './expiry-date.ts';

interface ExtendKeyProps {
  readonly apiKey: Pick<ApiKey, 'id' | 'name'>;
  readonly onClose: () => void;
}

/** Gives a key that still works another end. */
export const ExtendKey = ({ apiKey: { id, name }, onClose }: ExtendKeyProps) => {
  const text = useText();
  const changed = useChanged();
  const [expiry, setExpiry] = useState(firstExpiry);
  const end = expiresAt(expiry, Date.now());
  return (
    <DialogForm
      title={text('keys.extendTitle', { name })}
      action={text('keys.extend')}
      wide
      disabled={end === undefined}
      isChanged={JSON.stringify(expiry) !== JSON.stringify(firstExpiry)}
      fields={['expires_at']}
      onSubmit={async () => {
        await send('PATCH', `/admin/api_keys/${id}`, { body: { api_key: { expires_at: end } } });
        await changed(text('keys.extended', { name }));
      }}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => <ExpiryPicker value={expiry} onChange={setExpiry} error={errors['expires_at']} />}
    </DialogForm>
  );
};
