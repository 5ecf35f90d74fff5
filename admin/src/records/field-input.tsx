/** Inputs of fields in forms: a component for each type. */

import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { type ComponentType, lazy, Suspense } from 'react';
import type { FieldKind } from '../../../src/fields/registry.ts';
import { timeZone } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { ChoiceChip } from './choice-chip.tsx';
import { ofKind } from './field-kinds.ts';
import { fromLocalInput, toLocalInput } from './local-time.ts';
import type { Choice, FieldInputProps, MetadataField } from './metadata.ts';
import { idIn } from './record.ts';
import { ReferenceInput } from './record-picker.tsx';

const JsonInput = lazy(() => import('./json-input.tsx').then(({ JsonInput: part }) => ({ default: part })));

const asText = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/** The value of an emptied input: null if the field is optional, else the empty text, which the service refuses. */
const emptiedValue = (field: MetadataField, text: string): string | null =>
  text === '' && !field.required ? null : text;

/** A text that is no number stays a text: the service describes the error. */
const asNumber = (field: MetadataField, text: string): unknown => {
  if (text.trim() === '') return emptiedValue(field, '');
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text.trim() ? number : text;
};

const commonProps = ({ field, error }: FieldInputProps) => ({
  label: field.label,
  required: field.required,
  error: error !== undefined,
  helperText: error,
  name: field.name,
});

const TextInput = ({ type = 'text', ...props }: FieldInputProps & { readonly type?: 'text' | 'email' }) => (
  <TextField
    {...commonProps(props)}
    type={type}
    value={asText(props.value)}
    onChange={(event) => props.onChange(emptiedValue(props.field, event.target.value))}
  />
);

const LongTextInput = (props: FieldInputProps) => (
  <TextField
    {...commonProps(props)}
    multiline
    minRows={4}
    maxRows={24}
    value={asText(props.value)}
    onChange={(event) => props.onChange(emptiedValue(props.field, event.target.value))}
  />
);

/** A decimal stays a text, so that no digit is lost. */
const DecimalInput = (props: FieldInputProps) => (
  <TextField
    {...commonProps(props)}
    value={asText(props.value)}
    onChange={(event) => props.onChange(emptiedValue(props.field, event.target.value))}
    slotProps={{ htmlInput: { inputMode: 'decimal' } }}
  />
);

const NumberInput = ({
  keyboard = 'decimal',
  ...props
}: FieldInputProps & { readonly keyboard?: 'numeric' | 'decimal' }) => (
  <TextField
    {...commonProps(props)}
    value={asText(props.value)}
    onChange={(event) => props.onChange(asNumber(props.field, event.target.value))}
    slotProps={{ htmlInput: { inputMode: keyboard } }}
  />
);

const LazyJsonInput = (props: FieldInputProps) => (
  <Suspense fallback={<TextField {...commonProps(props)} disabled multiline rows={4} />}>
    <JsonInput {...props} />
  </Suspense>
);

/** A reference with `same` offers the records that have the same value as the form. */
const RecordInput = ({ field, value, error, record, onChange }: FieldInputProps) => {
  const { same = '' } = field;
  const shared = record?.[same];
  return (
    <ReferenceInput
      label={field.label}
      model={field.reference ?? ''}
      value={idIn(value)}
      onChange={onChange}
      error={error}
      required={field.required}
      among={idIn(shared) === null ? undefined : { [same]: idIn(shared) ?? 0 }}
    />
  );
};

interface SelectInputProps extends FieldInputProps {
  readonly options: readonly Choice[];
  /** The value of an option's text. */
  readonly read: (chosen: string) => unknown;
}

/** A select for a field with few values; optional fields have an empty option. */
const SelectInput = ({ field, value, error, onChange, options, read }: SelectInputProps) => (
  <TextField
    select
    label={field.label}
    required={field.required}
    error={error !== undefined}
    helperText={error}
    value={asText(value)}
    onChange={({ target }) => onChange(target.value === '' ? null : read(target.value))}
  >
    {field.required ? null : <MenuItem value="">—</MenuItem>}
    {options.map((option) => (
      <MenuItem key={option.value} value={option.value}>
        {option.color === undefined ? option.label : <ChoiceChip choice={option} />}
      </MenuItem>
    ))}
  </TextField>
);

const BooleanInput = (props: FieldInputProps) => {
  const text = useText();
  const options = [
    { value: 'true', label: text('common.yes') },
    { value: 'false', label: text('common.no') },
  ];
  return <SelectInput {...props} options={options} read={(chosen) => chosen === 'true'} />;
};

const ChoiceInput = (props: FieldInputProps) => (
  <SelectInput {...props} options={props.field.choices ?? []} read={(chosen) => chosen} />
);

const DateInput = ({ field, value, error, onChange }: FieldInputProps) => (
  <TextField
    label={field.label}
    required={field.required}
    error={error !== undefined}
    helperText={error}
    type="date"
    value={asText(value)}
    onChange={(event) => onChange(emptiedValue(field, event.target.value))}
    slotProps={{ inputLabel: { shrink: true } }}
  />
);

/** The browser shows a time in its own time zone. */
const MomentInput = ({ field, value, error, onChange }: FieldInputProps) => {
  const text = useText();
  return (
    <TextField
      label={field.label}
      required={field.required}
      error={error !== undefined}
      helperText={error ?? text('common.timeZone', { zone: timeZone })}
      type="datetime-local"
      value={toLocalInput(asText(value))}
      onChange={(event) => onChange(fromLocalInput(event.target.value))}
      slotProps={{ inputLabel: { shrink: true }, htmlInput: { step: 1 } }}
    />
  );
};

const inputs = {
  string: TextInput,
  text: LongTextInput,
  integer: (props) => <NumberInput {...props} keyboard="numeric" />,
  number: NumberInput,
  decimal: DecimalInput,
  boolean: BooleanInput,
  date: DateInput,
  datetime: MomentInput,
  time: TextInput,
  enum: ChoiceInput,
  json: LazyJsonInput,
  email: (props) => <TextInput {...props} type="email" />,
  url: TextInput,
  uuid: TextInput,
  reference: RecordInput,
  sequence: TextInput,
  // Its own request uploads a file.
  file: () => null,
} satisfies Readonly<Record<FieldKind, ComponentType<FieldInputProps>>>;

/** The input of a field, by its type. */
export const FieldInput = (props: FieldInputProps) => {
  const Input = ofKind<ComponentType<FieldInputProps>>(inputs, props.field.type);
  return <Input {...props} />;
};
