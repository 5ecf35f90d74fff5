/** The form of one condition of a list. */

import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import type { FilterKind } from '../records/field-kinds.ts';
import { ReferenceInput } from '../records/record-picker.tsx';
import { useText } from '../texts/provider.ts';
import { isWordOperator, parseWords } from './date-words.ts';
import { type Comparison, comparedModel, comparisonsOf, type FilterField, keyOf } from './filter-field.ts';
import { timeZone } from './moment.ts';
import { WordInput } from './word-input.tsx';

export interface ConditionFormProps {
  readonly field: FilterField;
  readonly onAdd: (key: string, value: string) => void;
  /** Receives the current condition; undefined while it is incomplete. */
  readonly onDraft: (condition: readonly [key: string, value: string] | undefined) => void;
}

/** The browser shows a time in its own time zone; the service compares in UTC. */
const sent = (kind: FilterKind, value: string): string =>
  kind === 'datetime' ? new Date(value).toISOString() : value;

/** The first comparison of a field: a part of the value for texts. */
const usual = (field: FilterField): Comparison =>
  field.kind === 'text' && field.operators.includes('like') ? 'like' : (comparisonsOf(field)[0] ?? 'eq');

/** The initial value of a condition: words have a meaningful one. */
const firstValue = (operator: Comparison): string => (isWordOperator(operator) ? 'today' : '');

/** True if the condition is incomplete. */
const isOpen = (operator: Comparison, value: string): boolean =>
  isWordOperator(operator) ? parseWords(value) === undefined : value === '';

/** A condition for the address; undefined while it is incomplete. */
const conditionOf = (
  { name, kind }: FilterField,
  operator: Comparison,
  value: string,
): readonly [string, string] | undefined => {
  if (isOpen(operator, value)) return undefined;
  const asIs = operator === 'null' || isWordOperator(operator);
  return [keyOf(name, operator), asIs ? value : sent(kind, value)];
};

const inputTypes = { text: 'text', number: 'text', date: 'date', datetime: 'datetime-local' } as const;

/** Inputs for the comparison and value of a condition. */
export const ConditionForm = ({ field, onAdd, onDraft }: ConditionFormProps) => {
  const text = useText();
  const [operator, setOperator] = useState<Comparison>(usual(field));
  const [value, setValue] = useState(firstValue(operator));
  const condition = useMemo(() => conditionOf(field, operator, value), [field, operator, value]);
  const isTouched = value !== firstValue(operator);
  useEffect(() => {
    onDraft(isTouched ? condition : undefined);
  }, [condition, isTouched, onDraft]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (condition !== undefined) onAdd(...condition);
  };

  return (
    <Stack component="form" onSubmit={submit} sx={{ p: 1.5, pt: 0.5, gap: 1 }}>
      <TextField
        select
        label={text('filter.comparison')}
        value={operator}
        onChange={(event) => {
          const next = event.target.value as Comparison;
          setOperator(next);
          setValue(firstValue(next));
        }}
      >
        {comparisonsOf(field).map((each) => (
          <MenuItem key={each} value={each}>
            {text(`filter.operator.${each}`)}
          </MenuItem>
        ))}
      </TextField>
      <ValueInput field={field} operator={operator} value={value} onChange={setValue} />
      <Button type="submit" variant="contained" disabled={condition === undefined}>
        {text('filter.apply')}
      </Button>
    </Stack>
  );
};

interface ValueInputProps {
  readonly field: FilterField;
  readonly operator: Comparison;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const ValueInput = ({ field, operator, value, onChange }: ValueInputProps) => {
  const text = useText();
  if (isWordOperator(operator)) return <WordInput value={value} onChange={onChange} />;
  const { kind, choices = [] } = field;
  const model = comparedModel(field, operator);
  const yesNo = operator === 'null' || kind === 'boolean';
  const options = yesNo
    ? ['true', 'false'].map((each) => ({
        value: each,
        label: text(each === 'true' ? 'common.yes' : 'common.no'),
      }))
    : choices;
  if (yesNo || (kind === 'choice' && operator !== 'in'))
    return (
      <TextField
        select
        label={text('filter.value')}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <MenuItem key={option.value} value={option.value}>
            {option.label}
          </MenuItem>
        ))}
      </TextField>
    );
  if (model !== undefined)
    return (
      <ReferenceInput
        label={text('filter.value')}
        model={model}
        value={value === '' ? null : Number(value)}
        onChange={(id) => onChange(id === null ? '' : String(id))}
      />
    );
  const several = operator === 'in';
  return (
    <TextField
      label={text('filter.value')}
      type={several || kind === 'choice' ? 'text' : inputTypes[kind]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      helperText={
        several
          ? text('filter.several')
          : kind === 'datetime'
            ? text('common.timeZone', { zone: timeZone })
            : undefined
      }
      slotProps={{
        htmlInput: kind === 'number' && !several ? { inputMode: 'decimal' } : {},
      }}
    />
  );
};
