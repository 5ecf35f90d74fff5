import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useText } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';

/** Seconds for which a replaced secret stays valid. */
const overlaps: readonly (readonly [seconds: number, label: TextKey])[] = [
  [0, 'webhooks.overlaps.none'],
  [3_600, 'webhooks.overlaps.hour'],
  [86_400, 'webhooks.overlaps.day'],
  [7 * 86_400, 'webhooks.overlaps.week'],
  [30 * 86_400, 'webhooks.overlaps.month'],
];

export const usualOverlap = 86_400;

interface OverlapPickerProps {
  readonly value: number;
  readonly onChange: (seconds: number) => void;
  readonly error?: string | undefined;
}

/** The time for which both secrets are valid after a rotation. */
export const OverlapPicker = ({ value, onChange, error }: OverlapPickerProps) => {
  const text = useText();
  return (
    <TextField
      select
      label={text('webhooks.overlap')}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
      error={error !== undefined}
      helperText={error}
    >
      {overlaps.map(([seconds, label]) => (
        <MenuItem key={seconds} value={seconds}>
          {text(label)}
        </MenuItem>
      ))}
    </TextField>
  );
};
