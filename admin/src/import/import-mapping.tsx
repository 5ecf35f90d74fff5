/** The assignment of columns of a file to fields. */

import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import type { Metadata } from '../records/metadata.ts';
import { useText } from '../texts/provider.ts';

interface ImportMappingProps {
  readonly metadata: Metadata;
  readonly columns: readonly string[];
  readonly mapping: Readonly<Record<string, string>>;
  readonly by: string;
  readonly onMap: (column: string, field: string) => void;
  readonly onBy: (field: string) => void;
}

/** The field of each column, and the field by which a line finds the record to update. */
export const ImportMapping = ({ metadata, columns, mapping, by, onMap, onBy }: ImportMappingProps) => {
  const text = useText();
  const keys = metadata.fields.filter(
    ({ name, unique, read_only }) => name === 'id' || (unique === true && !read_only),
  );
  const used = new Set(Object.values(mapping));
  return (
    <Paper
      variant="outlined"
      sx={{ p: 2, display: 'grid', columnGap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}
    >
      {metadata.permissions.update ? (
        <TextField
          select
          label={text('imports.matchBy')}
          value={by}
          onChange={(event) => onBy(event.target.value)}
          sx={{ gridColumn: '1 / -1' }}
        >
          <MenuItem value="">{text('imports.matchNothing')}</MenuItem>
          {keys.map(({ name, label }) => (
            <MenuItem key={name} value={name} disabled={!used.has(name)}>
              {label}
            </MenuItem>
          ))}
        </TextField>
      ) : null}
      {columns.map((column) => (
        <TextField
          key={column}
          select
          label={text('imports.column', { name: column })}
          value={mapping[column] ?? ''}
          onChange={(event) => onMap(column, event.target.value)}
          slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
        >
          <MenuItem value="">{text('imports.notImported')}</MenuItem>
          {metadata.fields
            .filter(({ name, read_only }) => !read_only || name === 'id')
            .map(({ name, label }) => (
              <MenuItem key={name} value={name} disabled={used.has(name) && mapping[column] !== name}>
                {label}
              </MenuItem>
            ))}
        </TextField>
      ))}
    </Paper>
  );
};
