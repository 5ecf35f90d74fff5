/** The changes of a record by field. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { exactJson } from '../exact.ts';
import { JsonText } from '../parts/json-text.tsx';
import { visuallyHidden } from '../parts/visually-hidden.ts';
import { traitsOf } from '../records/field-kinds.ts';
import { FieldValue } from '../records/field-value.tsx';
import type { MetadataField } from '../records/metadata.ts';
import { useText } from '../texts/provider.ts';
import { TextChange } from './text-change.tsx';
import type { Values } from './version.ts';

interface ChangesProps {
  readonly fields: readonly MetadataField[];
  readonly before: Values | null;
  readonly after: Values | null;
  /** Name that distinguishes this comparison from others on the page: `Version 3`. */
  readonly name: string;
  /** Messages of the service about new values. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** Fields with their values before and after, rendered by type. */
export const Changes = ({ fields, before, after, name, errors = {} }: ChangesProps) => (
  <Box
    component="dl"
    sx={{
      m: 0,
      display: 'grid',
      gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '150px minmax(0, 1fr)' },
      rowGap: { xs: 0.25, sm: 0.75 },
      columnGap: 2,
    }}
  >
    {fields.map((field) => (
      <Box key={field.name} sx={{ display: 'contents' }}>
        <Typography component="dt" variant="body2" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {field.label}
        </Typography>
        <Typography
          component="dd"
          variant="body2"
          sx={{ m: 0, mb: { xs: 1, sm: 0 }, minWidth: 0, overflowWrap: 'anywhere' }}
        >
          <Change
            field={field}
            before={before === null ? undefined : { value: before[field.name] }}
            after={after === null ? undefined : { value: after[field.name] }}
            name={`${field.label} · ${name}`}
          />
          {errors[field.name] === undefined ? null : (
            <Box component="span" role="alert" sx={{ display: 'block', color: 'error.main' }}>
              {errors[field.name]}
            </Box>
          )}
        </Typography>
      </Box>
    ))}
  </Box>
);

interface Side {
  readonly value: unknown;
}

interface ChangeProps {
  readonly field: MetadataField;
  /** Undefined if there was no record. */
  readonly before: Side | undefined;
  readonly after: Side | undefined;
  readonly name: string;
}

/** Maximum length of a text that is compared as a whole. */
const short = 60;

const longText = (value: unknown): value is string =>
  typeof value === 'string' && (value.length > short || value.includes('\n'));

const prettyJson = (value: unknown): string => exactJson.stringify(value, 2);

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

const Change = ({ field, before, after, name }: ChangeProps) => {
  const text = useText();
  const one = before ?? after;
  if (one === undefined) return null;
  if (before === undefined || after === undefined)
    return <Value field={field} value={one.value} name={name} />;
  if (traitsOf(field).structured && isThere(before.value) && isThere(after.value))
    return <TextChange before={prettyJson(before.value)} after={prettyJson(after.value)} name={name} code />;
  if (
    typeof before.value === 'string' &&
    typeof after.value === 'string' &&
    (longText(before.value) || longText(after.value))
  )
    return <TextChange before={before.value} after={after.value} name={name} />;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, rowGap: 0.25 }}>
      <Side as="del">
        <Value field={field} value={before.value} name={`${name} · ${text('history.before')}`} />
      </Side>
      <span aria-hidden="true">→</span>
      <Side as="ins">
        <Value field={field} value={after.value} name={name} />
      </Side>
    </Box>
  );
};

const Side = ({ as, children }: { readonly as: 'del' | 'ins'; readonly children: ReactNode }) => {
  const text = useText();
  return (
    <Box
      component={as}
      sx={{
        minWidth: 0,
        maxWidth: '100%',
        textDecoration: 'none',
        color: as === 'del' ? 'text.secondary' : 'text.primary',
        fontWeight: as === 'ins' ? 600 : 400,
      }}
    >
      <Box component="span" sx={visuallyHidden}>
        {text(as === 'del' ? 'history.before' : 'history.after')}{' '}
      </Box>
      {children}
    </Box>
  );
};

interface ValueProps {
  readonly field: MetadataField;
  readonly value: unknown;
  readonly name: string;
}

const Value = ({ field, value, name }: ValueProps) =>
  traitsOf(field).structured && isThere(value) ? (
    <JsonText value={value} label={name} />
  ) : (
    <FieldValue field={field} value={value} whole />
  );
