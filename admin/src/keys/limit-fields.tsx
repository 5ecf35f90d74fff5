/** The limits of an API key in a form: inputs, conversion and words. */

import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { type Text, useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';

/** The limits of a key; null if it has none of its own. */
export type KeyLimits = Pick<ApiKey, 'limit' | 'quota'>;

/** The limits in a form; empty if there is none. */
export interface LimitInput {
  readonly max: string;
  readonly window: string;
  readonly burst: string;
  readonly quota: string;
}

const shownNumber = (value: number | null | undefined): string => (value == null ? '' : String(value));

export const limitsToForm = ({ limit, quota }: KeyLimits): LimitInput => ({
  max: shownNumber(limit?.max),
  window: limit?.window ?? '1m',
  burst: shownNumber(limit?.burst),
  quota: shownNumber(quota),
});

/** The limits in a request. */
export const limitsToRequest = ({ max, window, burst, quota }: LimitInput): KeyLimits => ({
  limit: max === '' ? null : { max: Number(max), window, ...(burst === '' ? {} : { burst: Number(burst) }) },
  quota: quota === '' ? null : Number(quota),
});

const windows = { '1s': 'second', '1m': 'minute', '1h': 'hour', '1d': 'day' } as const;

const windowText = (text: Text, window: string): string =>
  window in windows ? text(`keys.access.${windows[window as keyof typeof windows]}`) : window;

/** Limits in words: `60 / minute · 20 at once · 10000 / month`. */
export const useLimitWords = (): ((limits: KeyLimits) => readonly string[]) => {
  const text = useText();
  return ({ limit, quota }) => [
    ...(limit === null
      ? []
      : [text('keys.access.rate', { max: limit.max, window: windowText(text, limit.window) })]),
    ...(limit?.burst === undefined ? [] : [text('keys.access.atOnce', { burst: limit.burst })]),
    ...(quota === null ? [] : [text('keys.access.rate', { max: quota, window: text('keys.access.month') })]),
  ];
};

interface LimitFieldsProps {
  readonly value: LimitInput;
  readonly onChange: (value: LimitInput) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** Inputs for the limits of a key. */
export const LimitFields = ({ value, onChange, errors }: LimitFieldsProps) => {
  const text = useText();
  const count = (name: 'max' | 'burst' | 'quota', label: string, error?: string, help?: string) => (
    <TextField
      label={label}
      type="number"
      margin="none"
      value={value[name]}
      onChange={(event) => onChange({ ...value, [name]: event.target.value })}
      error={error !== undefined}
      helperText={error ?? help}
      slotProps={{ htmlInput: { min: 1, step: 1 } }}
    />
  );
  const known = Object.keys(windows);
  return (
    <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'repeat(auto-fit, minmax(140px, 1fr))' }}>
      {count('max', text('keys.access.max'), errors['limit'])}
      <TextField
        select
        label={text('keys.access.window')}
        margin="none"
        value={value.window}
        onChange={(event) => onChange({ ...value, window: event.target.value })}
      >
        {(known.includes(value.window) ? known : [...known, value.window]).map((window) => (
          <MenuItem key={window} value={window}>
            {windowText(text, window)}
          </MenuItem>
        ))}
      </TextField>
      {count('burst', text('keys.access.burst'), undefined, text('keys.access.burstHelp'))}
      {count('quota', text('keys.access.quota'), errors['quota'], text('keys.access.quotaHelp'))}
    </Box>
  );
};
