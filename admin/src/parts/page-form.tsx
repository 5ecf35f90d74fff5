/** A form that is a page, for records of the service. */

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
  /** Initial values. */
  readonly first: Input;
  /** Label of the submit button; "Save" if absent. */
  readonly action?: string | undefined;
  /** Path of the cancel button. */
  readonly back: string;
  /** The inputs, with the messages by field. */
  readonly children: (
    input: Input,
    change: (part: Partial<Input>) => void,
    errors: Refusal['fields'],
  ) => ReactNode;
  /** Messages by field if the input cannot be sent. */
  readonly missing?: (input: Input) => Refusal['fields'];
  /** @throws the refusal of the service */
  readonly onSave: (input: Input) => Promise<() => Promise<void> | void>;
}

/** A form as a page. `onSave` returns a function that leaves the page; it is called once leaving asks no question. */
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
    <Page title={title} lead={lead}>
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
            action={action}
          />
        </Stack>
      </Paper>
    </Page>
  );
};
