import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useNotify } from 'ra-core';
import { type FormEvent, useId, useState } from 'react';
import { failureOf, useTell } from '../parts/problem.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';
import { ExpiryPicker } from './expiry.tsx';
import { expiresAt, firstExpiry } from './expiry-date.ts';

interface ExtendKeyProps {
  readonly apiKey: Pick<ApiKey, 'id' | 'name'>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Gives a key that still works another end. */
export const ExtendKey = ({ apiKey: { id, name }, onClose, onDone }: ExtendKeyProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const heading = useId();
  const [expiry, setExpiry] = useState(firstExpiry);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const end = expiresAt(expiry, Date.now());

  const { saved, leave } = useUnsaved(JSON.stringify(expiry) !== JSON.stringify(firstExpiry));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await send('PATCH', `/admin/api_keys/${id}`, { body: { api_key: { expires_at: end } } });
      notify(text('keys.extended', { name }), { type: 'success' });
      saved();
      onDone();
      onClose();
    } catch (refused) {
      const message = failureOf(refused).fields['expires_at'];
      if (message === undefined) tell(refused);
      setError(message);
    }
    setBusy(false);
  };

  return (
    <Dialog open onClose={() => leave(onClose)} aria-labelledby={heading} maxWidth="sm" fullWidth>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle id={heading}>{text('keys.extendTitle', { name })}</DialogTitle>
        <DialogContent>
          <ExpiryPicker value={expiry} onChange={setExpiry} error={error} />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{text('common.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy} disabled={end === undefined}>
            {text('keys.extend')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
