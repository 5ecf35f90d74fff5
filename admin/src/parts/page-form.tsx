import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FormBar } from './form-bar.tsx';
import { Page } from './page.tsx';
import { type Refusal, useRefusal } from './refusal.ts';
import { useUnsaved } from './unsaved.ts';
import { useInput } from './use-input.ts';

interface PageFormProps<Input extends object> {
  readonly title: string;
  readonly lead?: string;
  /** The initial values of its fields. */
  readonly first: Input;
  /** The label of the button that saves, where it is not "Save". */
  readonly action?: string;
  /** Where the way out leads. */
  readonly back: string;
  /** The inputs, with the messages by field. */
  readonly children: (
    input: Input,
    change: (part: Partial<Input>) => void,
    errors: Refusal['fields'],
  ) => ReactNode;
  /** Messages by field, where the input cannot be sent. */
  readonly missing?: (input: Input) => Refusal['fields'];
  /** @throws what the service refuses */
  readonly onSave: (input: Input) => Promise<() => Promise<void> | void>;
}

/** A form that is a page. `onSave` returns the way on, which is gone once leaving the page asks no more. */
export const PageForm = <Input extends object>(props: PageFormProps<Input>) => {
  const { title, lead, first, action, back, children, missing, onSave } = props;
  const { input, changes, change, discard } = useInput(first);
  const { saved } = useUnsaved(changes > 0);
  const { refusal, refuse, refuseFields, clear } = useRefusal();
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wrong = missing?.(input) ?? {};
    if (Object.keys(wrong).length > 0) return refuseFields(wrong);
    setBusy(true);
    clear();
    try {
      const goOn = await onSave(input);
      saved();
      await goOn();
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title={title} {...(lead === undefined ? {} : { lead })}>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1.5 }}>
          <Stack sx={{ gap: 1.5, maxWidth: 640 }}>{children(input, change, refusal.fields)}</Stack>
          <FormBar
            changes={changes}
            refusal={refusal}
            fields={Object.keys(first)}
            busy={busy}
            back={back}
            onDiscard={discard}
            {...(action === undefined ? {} : { action })}
          />
        </Stack>
      </Paper>
    </Page>
  );
};
