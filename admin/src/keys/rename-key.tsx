import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useNotify } from 'ra-core';
import { type FormEvent, useId, useState } from 'react';
import { failureOf, useTell } from '../parts/problem.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';

interface RenameKeyProps {
  readonly apiKey: Pick<ApiKey, 'id' | 'name'>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export const RenameKey = ({ apiKey, onClose, onDone }: RenameKeyProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const heading = useId();
  const [name, setName] = useState(apiKey.name);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  const { saved, leave } = useUnsaved(name !== apiKey.name);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await send('PATCH', `/admin/api_keys/${apiKey.id}`, { body: { api_key: { name } } });
      notify(text('common.saved'), { type: 'success' });
      saved();
      onDone();
      onClose();
    } catch (refused) {
      const message = failureOf(refused).fields['name'];
      if (message === undefined) tell(refused);
      setError(message);
    }
    setBusy(false);
  };

  return (
    <Dialog open onClose={() => leave(onClose)} aria-labelledby={heading} maxWidth="xs" fullWidth>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle id={heading}>{text('keys.rename')}</DialogTitle>
        <DialogContent>
          <TextField
            label={text('keys.name')}
            value={name}
            required
            autoFocus
            onChange={(event) => setName(event.target.value)}
            error={error !== undefined}
            helperText={error ?? text('keys.nameHelp')}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{text('common.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy}>
            {text('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
