/** A short form for the pages of links in mails. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { focusFirstError } from '../parts/focus-errors.ts';
import { failureOf, severityOf, useSentence } from '../parts/problem.ts';
import { useRefusal } from '../parts/refusal.ts';
import { useText } from '../texts/provider.ts';

export interface LinkField {
  readonly name: string;
  readonly label: string;
  readonly autoComplete: string;
  readonly type?: 'email' | 'password';
  readonly optional?: boolean;
  readonly help?: string;
}

interface LinkFormProps {
  readonly fields: readonly LinkField[];
  readonly submit: string;
  /** @throws the refusal of the service */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<void>;
}

/** A short form outside the administration area. Messages of the service stand at their fields. */
export const LinkForm = ({ fields, submit: label, onSubmit }: LinkFormProps) => {
  const text = useText();
  const sentence = useSentence();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const { refusal, refuse, correct, clear } = useRefusal();
  useEffect(() => {
    if (form.current && refusal.attempt > 0) focusFirstError(form.current);
  }, [refusal.attempt]);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    clear();
    try {
      await onSubmit(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
    } catch (error) {
      refuse(error);
      setBusy(false);
    }
  };

  return (
    <Stack component="form" ref={form} noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1 }}>
      {refusal.failure === undefined ? null : (
        <Alert severity={severityOf(failureOf(refusal.failure))}>{sentence(refusal.failure)}</Alert>
      )}
      {fields.map(({ name, label: words, autoComplete, type = 'text', optional = false, help }, index) => (
        <TextField
          key={name}
          name={name}
          label={words}
          type={type}
          autoComplete={autoComplete}
          autoFocus={index === 0}
          required={!optional}
          value={values[name] ?? ''}
          onChange={(event) => {
            setValues({ ...values, [name]: event.target.value });
            correct(name);
          }}
          error={refusal.fields[name] !== undefined}
          helperText={refusal.fields[name] ?? (type === 'password' ? text('account.passwordHelp') : help)}
          slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
        />
      ))}
      <Button
        type="submit"
        variant="contained"
        size="large"
        loading={busy}
        disabled={fields.some(({ name, optional = false }) => !optional && (values[name] ?? '') === '')}
        sx={{ mt: 1 }}
      >
        {label}
      </Button>
    </Stack>
  );
};
