/** The input of records that are written with their record. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { visuallyHidden } from '../parts/visually-hidden.ts';
import { useText } from '../texts/provider.ts';
import { FieldInput } from './field-input.tsx';
import { traitsOf } from './field-kinds.ts';
import { type LinesField, maxLines, rowsOf } from './lines.ts';
import type { MetadataField } from './metadata.ts';
import { defaultsOf } from './record.ts';
import type { Draft } from './use-draft.ts';
import { useModel } from './use-metadata.ts';

interface LinesInputProps {
  readonly field: LinesField;
  readonly value: unknown;
  /** Messages by the path of a field: `lines.0.quantity`. */
  readonly wrong: Readonly<Record<string, string>>;
  /** True if the page shows the heading of this list itself. */
  readonly bare?: boolean;
  readonly onChange: (rows: readonly Draft[]) => void;
}

/** The records of a relation that are written with their record: a row each, with the inputs of its fields. */
export const LinesInput = ({ field, value, wrong, bare = false, onChange }: LinesInputProps) => {
  const text = useText();
  const heading = useId();
  const { data: target } = useModel(field.model);
  // Inputs hold a text of their own: after a removal they are created again.
  const [removals, setRemovals] = useState(0);
  if (target === undefined) return null;
  const { metadata } = target;
  const fields = metadata.fields.filter(
    (each) => !each.read_only && each.name !== field.by && traitsOf(each).structured !== true,
  );
  const rows = rowsOf(value);
  return (
    <Box
      component={bare ? 'div' : 'section'}
      aria-labelledby={bare ? undefined : heading}
      sx={bare ? undefined : sectionStyle}
    >
      {bare ? null : (
        <Typography id={heading} variant="h3" component="h2" sx={{ mb: 1 }}>
          {field.label}
        </Typography>
      )}
      <Stack sx={{ gap: { xs: 2, sm: 0.5 }, containerType: 'inline-size' }}>
        {rows.map((row, index) => (
          <RowInput
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name before they are saved
            key={`${index} ${removals}`}
            index={index}
            path={`${field.name}.${index}`}
            fields={fields}
            row={row}
            wrong={wrong}
            onChange={(next) => onChange(rows.with(index, next))}
            onRemove={() => {
              setRemovals(removals + 1);
              onChange(rows.toSpliced(index, 1));
            }}
          />
        ))}
      </Stack>
      {wrong[field.name] === undefined ? null : (
        <Typography variant="caption" role="alert" sx={{ color: 'error.main', display: 'block' }}>
          {wrong[field.name]}
        </Typography>
      )}
      <Button
        size="small"
        startIcon={<Icon name="plus" />}
        disabled={rows.length >= maxLines}
        onClick={() => onChange([...rows, defaultsOf(metadata)])}
        sx={{ mt: 0.5, ml: -0.75 }}
      >
        {text('records.lines.add', { label: field.label })}
      </Button>
    </Box>
  );
};

const sectionStyle = { borderTop: 1, borderColor: 'divider', pt: 1.5, mt: 1 } as const;

interface RowInputProps extends Pick<LinesInputProps, 'wrong'> {
  readonly index: number;
  /** Beginning of the names of its errors: `lines.0`. */
  readonly path: string;
  readonly fields: readonly MetadataField[];
  readonly row: Draft;
  readonly onChange: (row: Draft) => void;
  readonly onRemove: () => void;
}

const RowInput = ({ index, path, fields, row, wrong, onChange, onRemove }: RowInputProps) => {
  const text = useText();
  const number = index + 1;
  const message = wrong[path] ?? wrong[`${path}.id`];
  return (
    <Stack
      role="group"
      aria-label={text('records.lines.row', { number })}
      direction="row"
      sx={{ gap: 1, alignItems: 'end', ...(index === 0 ? {} : labelsOnce) }}
    >
      <Box sx={cellsStyle}>
        {fields.map((field) => (
          <Box key={field.name} sx={{ minWidth: 0 }}>
            <FieldInput
              field={field}
              value={row[field.name]}
              error={wrong[`${path}.${field.name}`]}
              record={row}
              onChange={(next) => onChange({ ...row, [field.name]: next })}
            />
          </Box>
        ))}
        {message === undefined ? null : (
          <Typography variant="caption" role="alert" sx={{ color: 'error.main', gridColumn: '1 / -1' }}>
            {message}
          </Typography>
        )}
      </Box>
      <IconButton aria-label={text('records.lines.remove', { number })} onClick={onRemove} sx={{ mb: 0.5 }}>
        <Icon name="trash" />
      </IconButton>
    </Stack>
  );
};

const cellsStyle = {
  flex: 1,
  minWidth: 0,
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 130px), 1fr))',
  columnGap: 1,
  alignItems: 'start',
} as const;

/** If rows are below each other, only the first shows its labels; screen readers find them in all. */
const labelsOnce = { '@container (min-width: 620px)': { '& label': visuallyHidden } } as const;
