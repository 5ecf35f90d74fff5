/** The bar at the end of a form: unsaved changes, errors and buttons. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useText } from '../texts/provider.ts';
import { focusFirstError, focusNextError } from './focus-errors.ts';
import { Icon } from './icon.tsx';
import { LinkButton } from './link.tsx';
import { useSentence } from './problem.ts';
import type { Refusal } from './refusal.ts';
import { useSlow } from './use-slow.ts';

interface FormBarProps {
  /** Number of unsaved fields. */
  readonly changes: number;
  readonly refusal: Refusal;
  /** The fields of the form, which show their errors themselves. */
  readonly fields: readonly string[];
  readonly busy: boolean;
  /** Label of the submit button; "Save" if absent. */
  readonly action?: string | undefined;
  /** True if a second button saves and starts another record: see `wantsAnother`. */
  readonly another?: boolean;
  /** Restores the saved values; returns a function that undoes this. */
  readonly onDiscard: () => () => void;
  /** Path or action of the cancel button. */
  readonly back: string | (() => void);
}

const anotherName = 'another';

/** True if the form was submitted by the button that starts another record. */
export const wantsAnother = ({ nativeEvent }: FormEvent): boolean =>
  nativeEvent instanceof SubmitEvent && nativeEvent.submitter?.getAttribute('name') === anotherName;

/** The bar at the end of a form, always visible: unsaved changes, errors, and the buttons. */
export const FormBar = (props: FormBarProps) => {
  const { changes, refusal, fields, busy, action, another = false, onDiscard, back } = props;
  const text = useText();
  const bar = useRef<HTMLDivElement>(null);
  const [undo, setUndo] = useState<{ readonly run: () => void }>();
  const { attempt } = refusal;
  useEffect(() => {
    const form = bar.current?.closest('form');
    if (form && attempt > 0) focusFirstError(form);
  }, [attempt]);
  const discard = (): void => setUndo({ run: onDiscard() });
  return (
    <>
      <Refused refusal={refusal} fields={fields} busy={busy} />
      <Box
        ref={bar}
        sx={{
          position: 'sticky',
          bottom: 0,
          zIndex: 2,
          mt: 2,
          mx: { xs: -2, sm: -3 },
          mb: { xs: -2, sm: -3 },
          px: { xs: 2, sm: 3 },
          py: 1.5,
          bgcolor: 'background.paper',
          borderTop: 1,
          borderColor: 'divider',
          borderRadius: '0 0 10px 10px',
          display: 'flex',
          flexWrap: 'wrap',
          alignItems: 'center',
          gap: 1,
        }}
      >
        <Button type="submit" variant="contained" loading={busy}>
          {action ?? text('common.save')}
        </Button>
        {another ? (
          <Button type="submit" name={anotherName} variant="outlined" disabled={busy}>
            {text('form.another')}
          </Button>
        ) : null}
        {changes === 0 ? null : (
          <Button onClick={discard} disabled={busy}>
            {text('form.discard')}
          </Button>
        )}
        {typeof back === 'string' ? (
          <LinkButton to={back}>{text('common.cancel')}</LinkButton>
        ) : (
          <Button onClick={back}>{text('common.cancel')}</Button>
        )}
        {changes === 0 && undo !== undefined ? (
          <Typography role="status" variant="body2" sx={{ ml: 'auto', color: 'text.secondary' }}>
            {text('form.discarded')}
            <Button
              size="small"
              onClick={() => {
                undo.run();
                setUndo(undefined);
              }}
            >
              {text('form.undo')}
            </Button>
          </Typography>
        ) : (
          <FormState changes={changes} errors={Object.keys(refusal.fields).length} busy={busy} />
        )}
      </Box>
    </>
  );
};

interface RefusedProps extends Pick<FormBarProps, 'refusal' | 'fields' | 'busy'> {}

/** Errors without a field in the form, and failures. */
const Refused = ({ refusal, fields, busy }: RefusedProps) => {
  const text = useText();
  const sentence = useSentence();
  const others = Object.entries(refusal.fields).filter(([name]) => !fields.includes(name));
  if (others.length > 0)
    return (
      <Alert severity="error" sx={{ mt: 1 }}>
        {text('form.elsewhere')}
        <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
          {others.map(([name, message]) => (
            <li key={name}>
              {message} <code>{name}</code>
            </li>
          ))}
        </Box>
      </Alert>
    );
  if (refusal.failure === undefined || busy) return null;
  return (
    <Alert
      severity="error"
      sx={{ mt: 1, flexWrap: 'wrap' }}
      action={
        <Button type="submit" color="inherit">
          {text('problem.retry')}
        </Button>
      }
    >
      {text('form.notSaved')}
      {sentence(refusal.failure)}
    </Alert>
  );
};

interface StandingProps {
  readonly changes: number;
  readonly errors: number;
  readonly busy: boolean;
}

/** "3 changes · 2 errors", with buttons that step through the errors. */
const FormState = ({ changes, errors, busy }: StandingProps) => {
  const text = useText();
  const slow = useSlow(busy);
  const step = (direction: 1 | -1, button: HTMLElement): void => {
    const form = button.closest('form');
    if (form) focusNextError(form, direction);
  };
  const words = [
    ...(changes === 0 ? [] : [text('form.changes', { smart_count: changes })]),
    ...(errors === 0 ? [] : [text('form.errors', { smart_count: errors })]),
  ];
  return (
    <Stack direction="row" sx={{ ml: 'auto', alignItems: 'center', minHeight: 34 }}>
      <Typography
        role="status"
        variant="body2"
        sx={{ color: errors > 0 ? 'error.main' : 'text.secondary', fontWeight: errors > 0 ? 600 : 450 }}
      >
        {slow ? text('form.slow') : words.join(' · ')}
      </Typography>
      {errors === 0 ? null : (
        <>
          <IconButton
            size="small"
            aria-label={text('form.previous')}
            onClick={({ currentTarget }) => step(-1, currentTarget)}
          >
            <Icon name="chevronUp" />
          </IconButton>
          <IconButton
            size="small"
            aria-label={text('form.next')}
            onClick={({ currentTarget }) => step(1, currentTarget)}
          >
            <Icon name="chevronDown" />
          </IconButton>
        </>
      )}
    </Stack>
  );
};
