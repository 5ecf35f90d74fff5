import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { exactJson } from '../exact.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { FieldInputProps } from './metadata.ts';
import { isNotJson, NotJson } from './not-json.ts';

const write = (value: unknown): string => {
  if (isNotJson(value)) return value.text;
  return value === null || value === undefined ? '' : exactJson.stringify(value, 2);
};

const read = (text: string): unknown => {
  try {
    return exactJson.parse(text);
  } catch {
    return new NotJson(text);
  }
};

/** A JSON value as text; the form receives the parsed value. */
export const JsonInput = ({ field, value, error, onChange }: FieldInputProps) => {
  const text = useText();
  const [typed, setTyped] = useState(() => write(value));
  const change = (next: string): void => {
    setTyped(next);
    onChange(next.trim() === '' ? null : read(next));
  };
  const broken = isNotJson(value);
  return (
    <TextField
      label={text('common.named', { name: field.label, more: 'JSON' })}
      required={field.required}
      multiline
      minRows={4}
      maxRows={24}
      value={typed}
      onChange={(event) => change(event.target.value)}
      error={broken || error !== undefined}
      helperText={broken ? text('records.notJson') : error}
      slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: monospace, fontSize: 13 } } }}
    />
  );
};
