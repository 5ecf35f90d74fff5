/** The dialog that sets a later expiry of an API key. */

import Alert from '@mui/material/Alert';
import { useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Time } from '../parts/time.tsx';
import { useChanged } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';
import { ExpiryPicker } from './expiry.tsx';
import { expiresAt, extensionStart, firstExpiry, isNotLater } from './expiry-date.ts';

interface ExtendKeyProps {
  readonly apiKey: Pick<ApiKey, 'id' | 'name' | 'expires_at'>;
  readonly onClose: () => void;
}

/** Sets a later end of a valid key, or the first end of a key that never expires. */
export const ExtendKey = ({ apiKey: { id, name, expires_at: current }, onClose }: ExtendKeyProps) => {
  const text = useText();
  const changed = useChanged();
  const [expiry, setExpiry] = useState(firstExpiry);
  const endless = current === null;
  const from = extensionStart(current, Date.now());
  const end = expiresAt(expiry, from);
  const shorter = end !== undefined && isNotLater(end, current);
  return (
    <DialogForm
      title={text(endless ? 'keys.setExpiryTitle' : 'keys.extendTitle', { name })}
      lead={
        endless ? (
          text('keys.setExpiryLead')
        ) : (
          <>
            {text('keys.currentExpiry')}
            <Time value={current} format="zoned" />
          </>
        )
      }
      action={text(endless ? 'keys.setExpiry' : 'keys.extend')}
      dangerous={endless}
      wide
      disabled={end === undefined || shorter || (endless && end === null)}
      isChanged={JSON.stringify(expiry) !== JSON.stringify(firstExpiry)}
      fields={['expires_at']}
      onSubmit={async () => {
        await send('PATCH', `/admin/api_keys/${id}`, { body: { api_key: { expires_at: end } } });
        await changed(text('keys.extended', { name }));
      }}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <ExpiryPicker
            value={expiry}
            onChange={setExpiry}
            error={errors['expires_at']}
            from={endless ? undefined : from}
          />
          {shorter ? <Alert severity="error">{text('keys.notLater')}</Alert> : null}
        </>
      )}
    </DialogForm>
  );
};
