import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { lazy, Suspense } from 'react';
import { timeZone } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { ChoiceChip } from './choice-chip.tsx';
import { fromLocalInput, toLocalInput } from './local-time.ts';
import type { FieldInputProps, MetadataField } from './metadata.ts';
import { ReferenceInput } from './record-picker.tsx';

const JsonInput = lazy(() => import('./json-input.tsx').then(({ JsonInput: part }) => ({ default: part })));

const asText = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/** An emptied input: nothing where nothing is allowed, else the empty text, which the service will have a word about. */
const emptied = (field: MetadataField, text: string): string | null =>
  text === '' && !field.required ? null : text;

/** The text typed as a number stays as it is where it is none: the service says what is wrong with it. */
const asNumber = (field: MetadataField, text: string): unknown => {
  if (text.trim() === '') return emptied(field, '');
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text.trim() ? number : text;
};

/** The input of a field, by its type. */
export const FieldInput = (props: FieldInputProps) => {
  const { field, value, error, onChange } = props;
  const common = {
    label: field.label,
    required: field.required,
    error: error !== undefined,
    helperText: error,
    name: field.name,
  };
  switch (field.type) {
    case 'boolean':
    case 'enum':
      return <ChoiceInput {...props} />;
    case 'reference':
      return (
        <ReferenceInput
          label={field.label}
          model={field.reference ?? ''}
          value={typeof value === 'number' ? value : null}
          onChange={onChange}
          error={error}
          required={field.required}
        />
      );
    case 'json':
      return (
        <Suspense fallback={<TextField {...common} disabled multiline rows={4} />}>
          <JsonInput {...props} />
        </Suspense>
      );
    case 'date':
    case 'datetime':
      return <MomentInput {...props} />;
    case 'integer':
    case 'number':
      return (
        <TextField
          {...common}
          value={asText(value)}
          onChange={(event) => onChange(asNumber(field, event.target.value))}
          slotProps={{ htmlInput: { inputMode: field.type === 'integer' ? 'numeric' : 'decimal' } }}
        />
      );
    default:
      return (
        <TextField
          {...common}
          multiline={field.type === 'text'}
          minRows={field.type === 'text' ? 4 : 1}
          maxRows={24}
          type={field.type === 'email' ? 'email' : 'text'}
          value={asText(value)}
          onChange={(event) => onChange(emptied(field, event.target.value))}
          slotProps={{ htmlInput: field.type === 'decimal' ? { inputMode: 'decimal' } : {} }}
        />
      );
  }
};

/** A select for a field of few values; nothing is a value of its own where it is allowed. */
const ChoiceInput = ({ field, value, error, onChange }: FieldInputProps) => {
  const text = useText();
  const options =
    field.type === 'boolean'
      ? [
          { value: 'true', label: text('common.yes') },
          { value: 'false', label: text('common.no') },
        ]
      : (field.choices ?? []);
  const change = (chosen: string): void => {
    if (chosen === '') onChange(null);
    else onChange(field.type === 'boolean' ? chosen === 'true' : chosen);
  };
  return (
    <TextField
      select
      label={field.label}
      required={field.required}
      error={error !== undefined}
      helperText={error}
      value={asText(value)}
      onChange={(event) => change(event.target.value)}
    >
      {field.required ? null : <MenuItem value="">—</MenuItem>}
      {options.map((option) => (
        <MenuItem key={option.value} value={option.value}>
          {'color' in option && option.color !== undefined ? <ChoiceChip choice={option} /> : option.label}
        </MenuItem>
      ))}
    </TextField>
  );
};

const MomentInput = ({ field, value, error, onChange }: FieldInputProps) => {
  const text = useText();
  const isDate = field.type === 'date';
  const shown = isDate ? asText(value) : toLocalInput(asText(value));
  return (
    <TextField
      label={field.label}
      required={field.required}
      error={error !== undefined}
      helperText={error ?? (isDate ? undefined : text('common.timeZone', { zone: timeZone }))}
      type={isDate ? 'date' : 'datetime-local'}
      value={shown}
      onChange={(event) => {
        const { value: typed } = event.target;
        onChange(isDate ? emptied(field, typed) : fromLocalInput(typed));
      }}
      slotProps={{ inputLabel: { shrink: true }, htmlInput: isDate ? {} : { step: 1 } }}
    />
  );
};
