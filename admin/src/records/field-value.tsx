/** Values of fields in lists and on pages: a renderer for each type. */

import Typography from '@mui/material/Typography';
import { memo, type ReactNode } from 'react';
import type { FieldKind } from '../../../src/fields/registry.ts';
import { basePath } from '../base.ts';
import { exactJson } from '../exact.ts';
import { JsonText } from '../parts/json-text.tsx';
import { OtherLink } from '../parts/link.tsx';
import { LongText } from '../parts/long-text.tsx';
import { RelativeDate, RelativeTime, Time } from '../parts/time.tsx';
import { type Language, type Text, useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { ChoiceChip } from './choice-chip.tsx';
import { ofKind } from './field-kinds.ts';
import type { ListedField } from './metadata.ts';
import { idIn } from './record.ts';
import { ReferenceValue } from './reference-value.tsx';

interface FieldValueProps {
  readonly field: ListedField;
  readonly value: unknown;
  /** In a table long texts are truncated. */
  readonly whole?: boolean;
}

/** Maximum length of a text in a table. */
const shortText = 120;

/** True for an address that a browser may open; other schemes stay texts. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/** Creating a formatter costs as much as a hundred uses. */
const numbers = new Map<Language, Intl.NumberFormat>();

const numberText = (language: Language, value: number): string => {
  const known = numbers.get(language) ?? new Intl.NumberFormat(language);
  numbers.set(language, known);
  return known.format(value);
};

interface ValueProps extends Required<FieldValueProps> {
  readonly text: Text;
  readonly language: Language;
}

type RenderValue = (props: ValueProps) => ReactNode;

const numberValue: RenderValue = ({ field, value, language }) => (
  <span>{field.name === 'id' ? String(value) : numberText(language, Number(value))}</span>
);

const textValue: RenderValue = ({ value, whole }) => <TextValue value={String(value)} whole={whole} />;

/**
 * Renderers of each type; values are neither null nor undefined. A list has thousands of values: functions cost less
 * than components.
 */
const renderers = {
  string: textValue,
  text: textValue,
  integer: numberValue,
  number: numberValue,
  decimal: textValue,
  boolean: ({ value, text }) => <span>{text(value === true ? 'common.yes' : 'common.no')}</span>,
  date: ({ value, whole }) => (whole ? <span>{String(value)}</span> : <RelativeDate value={String(value)} />),
  datetime: ({ value, whole }) =>
    whole ? <Time value={String(value)} format="full" /> : <RelativeTime value={String(value)} />,
  time: textValue,
  enum: ({ field, value }) => (
    <ChoiceChip
      choice={field.choices?.find((choice) => choice.value === value) ?? { label: String(value) }}
    />
  ),
  json: ({ field, value, whole }) => <JsonValue field={field} value={value} whole={whole} />,
  email: textValue,
  url: ({ value }) => <WebAddress address={String(value)} />,
  uuid: textValue,
  reference: ({ field, value }) => <ReferenceValue model={field.reference ?? ''} id={idIn(value) ?? 0} />,
  sequence: textValue,
  file: ({ value }) => <FileName value={value} />,
} satisfies Readonly<Record<FieldKind, RenderValue>>;

/**
 * A value, rendered by its type. Texts never become markup. Lists render their rows with each state of their requests;
 * the values in them are rendered once.
 */
export const FieldValue = memo(function FieldValue({ field, value, whole = false }: FieldValueProps) {
  const text = useText();
  const language = useLanguage();
  if (value === null || value === undefined) return <span>—</span>;
  return ofKind<RenderValue>(renderers, field.type)({ field, value, whole, text, language });
});

/** The name of a file. Its bytes are under the path of its record in this area. */
const FileName = ({ value }: Pick<FieldValueProps, 'value'>) => {
  const { name, url } = value as { readonly name: string; readonly url: string };
  return <OtherLink href={basePath + url.replace('/api/v1/', '/admin/records/')}>{name}</OtherLink>;
};

const JsonValue = ({ field, value, whole }: Required<FieldValueProps>) =>
  whole ? (
    <JsonText value={value} label={field.label} />
  ) : (
    <Typography component="code" variant="body2" sx={{ fontFamily: monospace }}>
      {exactJson.stringify(value).slice(0, shortText)}
    </Typography>
  );

const WebAddress = ({ address }: { readonly address: string }) =>
  isWebAddress(address) ? <OtherLink href={address}>{address}</OtherLink> : <span>{address}</span>;

const TextValue = ({ value, whole }: { readonly value: string; readonly whole: boolean }) => {
  if (whole) return <LongText value={value} />;
  return <span>{value.length > shortText ? `${value.slice(0, shortText)}…` : value}</span>;
};
