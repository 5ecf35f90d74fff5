/** A form in a dialog. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useText } from '../texts/provider.ts';
import { failureOf, severityOf, useSentence } from './problem.ts';
import { type Refusal, useRefusal } from './refusal.ts';
import { useUnsaved } from './unsaved.ts';

interface DialogFormProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Label of the submit button. */
  readonly action: string;
  readonly dangerous?: boolean;
  readonly wide?: boolean;
  /** True if required input is missing. */
  readonly disabled?: boolean;
  /** True if closing would lose input. */
  readonly isChanged: boolean;
  /** The fields that show their errors themselves. */
  readonly fields: readonly string[];
  /** The inputs, with the messages by field. */
  readonly children: (errors: Refusal['fields']) => ReactNode;
  /** Sentence for a failure that the service does not describe. */
  readonly explain?: (failure: unknown) => string | undefined;
  /** @throws the refusal of the service */
  readonly onSubmit: () => Promise<unknown>;
  /** Called after a successful submit. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** A form in a dialog. It asks before input is lost; errors appear at their fields, or above them. */
export const DialogForm = (props: DialogFormProps) => {
  const { title, lead, action, dangerous = false, wide = false, disabled = false, isChanged } = props;
  const { fields, children, explain, onSubmit, onDone, onClose } = props;
  const text = useText();
  const sentence = useSentence();
  const heading = useId();
  const [busy, setBusy] = useState(false);
  const { refusal, refuse, clear } = useRefusal();
  const { saved, leave } = useUnsaved(isChanged);
  const { failure } = refusal;
  const others = Object.entries(refusal.fields).filter(([name]) => !fields.includes(name));

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    // The page that opened the dialog may be a form too, and React passes the event on to it.
    event.stopPropagation();
    setBusy(true);
    clear();
    try {
      await onSubmit();
      saved();
      onDone();
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      onClose={() => leave(onClose)}
      aria-labelledby={heading}
      maxWidth={wide ? 'sm' : 'xs'}
      fullWidth
    >
      <form noValidate onChange={clear} onSubmit={(event) => void submit(event)}>
        <DialogTitle id={heading}>{title}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
          {lead === undefined ? null : <Typography sx={{ color: 'text.secondary' }}>{lead}</Typography>}
          {failure === undefined ? null : (
            <Alert severity={severityOf(failureOf(failure))}>{explain?.(failure) ?? sentence(failure)}</Alert>
          )}
          {others.map(([name, message]) => (
            <Alert key={name} severity="error">
              {message}
            </Alert>
          ))}
          {children(refusal.fields)}
        </DialogContent>
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{text('common.cancel')}</Button>
          <Button
            type="submit"
            variant="contained"
            color={dangerous ? 'error' : 'primary'}
            loading={busy}
            disabled={disabled}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
