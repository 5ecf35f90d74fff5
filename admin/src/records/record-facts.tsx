import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { Facts } from '../parts/facts.tsx';
import { FieldValue } from './field-value.tsx';
import { groupsOf } from './groups.ts';
import type { Metadata } from './metadata.ts';
import type { AnyRecord } from './record.ts';

/** Set by the service: they stand at the end, where there are groups. */
const byService: ReadonlySet<string> = new Set(['created_at', 'updated_at']);

/** All that a record says, under the headings that the model file gives its fields. */
export const RecordFacts = ({
  metadata,
  record,
}: {
  readonly metadata: Metadata;
  readonly record: AnyRecord;
}) => {
  const own = metadata.fields.filter(({ name }) => !byService.has(name));
  const groups = groupsOf(metadata.fields);
  const isGrouped = groups.length > 1;
  const shown = isGrouped ? groupsOf(own) : groups;
  const last = metadata.fields.filter(({ name }) => byService.has(name));
  const facts = (fields: Metadata['fields']) => (
    <Facts
      facts={fields.map((field) => [
        field.label,
        <FieldValue key={field.name} field={field} value={record[field.name]} whole />,
      ])}
    />
  );
  return (
    <Stack sx={{ gap: 2 }}>
      {shown.map(({ label, fields }) => (
        <Stack key={label ?? ''} component="section" sx={{ gap: 1 }}>
          {label === undefined ? null : <Typography variant="h2">{label}</Typography>}
          {facts(fields)}
        </Stack>
      ))}
      {isGrouped ? facts(last) : null}
    </Stack>
  );
};
