import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { type FormEvent, useId, useState } from 'react';
import { useText } from '../texts/provider.ts';
import { failureOf, useTell } from './problem.ts';
import { useUnsaved } from './unsaved.ts';

/** Letters of a view's name, as the service takes them. */
const longest = 60;

interface ViewNameProps {
  readonly title: string;
  readonly first: string;
  /** @throws what the service refuses */
  readonly onSave: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the name of a view. */
export const ViewName = ({ title, first, onSave, onClose }: ViewNameProps) => {
  const text = useText();
  const tell = useTell();
  const heading = useId();
  const [name, setName] = useState(first);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { saved, leave } = useUnsaved(name !== first);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onSave(name.trim());
      saved();
      onClose();
    } catch (failure) {
      const message = failureOf(failure).fields['name'];
      if (message === undefined) tell(failure);
      setError(message);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={() => leave(onClose)} aria-labelledby={heading} maxWidth="xs" fullWidth>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <DialogTitle id={heading}>{title}</DialogTitle>
        <DialogContent>
          <TextField
            label={text('views.name')}
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={error !== undefined}
            helperText={error ?? text('views.help')}
            autoFocus
            slotProps={{ htmlInput: { maxLength: longest } }}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{text('common.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy} disabled={name.trim() === ''}>
            {text('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
