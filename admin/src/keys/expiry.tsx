/** The input of an API key's expiry. */

import Alert from '@mui/material/Alert';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { Time, timeZone } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { type Expiry, type ExpiryChoice, expiresAt, isPast } from './expiry-date.ts';

interface ExpiryPickerProps {
  readonly value: Expiry;
  readonly onChange: (expiry: Expiry) => void;
  readonly error?: string | undefined;
  /** The time from which days count, if it is the end of a key: days are then added to it. */
  readonly from?: number | undefined;
}

/** The end of a key. A time in the past is allowed, with a warning that the key is expired from the start. */
export const ExpiryPicker = ({ value, onChange, error, from }: ExpiryPickerProps) => {
  const text = useText();
  const label = useId();
  const end = expiresAt(value, from ?? Date.now());
  const days = (count: number): string => text(from === undefined ? 'keys.days' : 'keys.moreDays', { count });
  const choices: readonly (readonly [ExpiryChoice, string])[] = [
    ['30', days(30)],
    ['90', days(90)],
    ['365', days(365)],
    ['never', text('keys.neverExpires')],
    ['custom', text('keys.custom')],
  ];
  return (
    <Stack sx={{ gap: 1 }}>
      <Typography id={label} variant="body2" sx={{ color: 'text.secondary' }}>
        {text('keys.expiresAt')}
      </Typography>
      <ToggleButtonGroup
        exclusive
        size="small"
        color="primary"
        aria-labelledby={label}
        value={value.choice}
        onChange={(_event, choice: ExpiryChoice | null) => {
          if (choice !== null) onChange({ ...value, choice });
        }}
        sx={{
          flexWrap: 'wrap',
          gap: 1,
          // Each button has its own border: the row may wrap.
          '& .MuiToggleButtonGroup-grouped': { m: 0, border: 1, borderColor: 'divider', borderRadius: 1 },
        }}
      >
        {choices.map(([choice, name]) => (
          <ToggleButton key={choice} value={choice} sx={{ textTransform: 'none', px: 1.75 }}>
            {name}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {value.choice === 'custom' ? (
        <TextField
          type="datetime-local"
          label={text('keys.expiresAt')}
          value={value.at}
          onChange={(event) => onChange({ ...value, at: event.target.value })}
          error={error !== undefined}
          helperText={error ?? text('common.timeZone', { zone: timeZone })}
          slotProps={{ inputLabel: { shrink: true } }}
          sx={{ maxWidth: 300 }}
        />
      ) : null}
      {typeof end === 'string' ? (
        <Typography variant="body2" aria-live="polite">
          {text('keys.endsOn')}
          <Time value={end} format="zoned" />
        </Typography>
      ) : null}
      {isPast(value, Date.now()) ? <Alert severity="warning">{text('keys.expiryInPast')}</Alert> : null}
      {value.choice === 'never' ? <Alert severity="info">{text('keys.neverAdvice')}</Alert> : null}
    </Stack>
  );
};
