/** The list of a resource as another user sees it: their rows and their fields. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { ListBase, useListContext } from 'ra-core';
import { type Column, shownColumns } from '../parts/column.ts';
import { failureShownHere } from '../parts/failed.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { filtersOf } from '../parts/filter-field.ts';
import { Link } from '../parts/link.tsx';
import { useChosenColumns } from '../parts/list-look.ts';
import { Listed } from '../parts/listed.tsx';
import { failureOf } from '../parts/problem.ts';
import { ViewButton } from '../parts/record-list-page.tsx';
import { fieldColumn } from '../records/columns.tsx';
import type { Metadata, MetadataField } from '../records/metadata.ts';
import { type AnyRecord, listedFields, namingField, recordName } from '../records/record.ts';
import { recordsPrefix, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { User } from './user.ts';

interface SeenListProps {
  readonly user: User;
  readonly metadata: Metadata;
  readonly path: string;
}

/** The list with search, filters, sort and pages; the service reads it with the rights of that user. */
export const SeenList = ({ user, metadata, path }: SeenListProps) => (
  <ListBase
    resource={`users/${user.id}/view/${path}`}
    sort={{ field: 'id', order: 'DESC' }}
    perPage={25}
    storeKey={false}
    disableAuthentication
    exporter={false}
    queryOptions={failureShownHere}
  >
    <Content user={user} metadata={metadata} path={path} />
  </ListBase>
);

/** Facts about what the user does not see: their own total, and the fields that are kept from them. */
interface Seen {
  readonly total: number;
  readonly hidden: readonly string[];
}

/** One look at the list without conditions. */
const useSeen = (user: User, path: string) =>
  useQuery({
    queryKey: ['seen by', user.id, path],
    retry: false,
    queryFn: async (): Promise<Seen> => {
      const { headers } = await send('GET', `/admin/users/${user.id}/view/${path}?per_page=1`);
      const names = headers.get('x-hidden-fields') ?? '';
      return {
        total: Number(headers.get('x-total-count') ?? 0),
        hidden: names === '' ? [] : names.split(','),
      };
    },
  });

const Content = ({ user, metadata, path }: SeenListProps) => {
  const text = useText();
  const { error, data = [] } = useListContext<AnyRecord>();
  const { data: seen } = useSeen(user, path);
  const [chosen, choose] = useChosenColumns(`${recordsPrefix}${path}`);
  if (error) return <Refused error={error} user={user} path={path} />;
  const hidden = seen?.hidden ?? [];
  const fields = metadata.fields.filter(({ name }) => !hidden.includes(name));
  // The list may have fewer fields than a record.
  const listed = fields.filter(
    ({ name }) => data.length === 0 || data.some((record) => Object.hasOwn(record, name)),
  );
  const columns = columnsOf(metadata, listed, user, path);
  return (
    <Stack sx={{ gap: 1.5 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'flex-start' }}>
        <Box sx={{ flex: '1 1 auto', minWidth: 0 }}>
          <FilterBar
            // The names of referenced records would be read with the rights of the administrator.
            fields={filtersOf(fields).filter(({ reference }) => reference === undefined)}
            searchable={fields.some(({ searchable }) => searchable)}
          />
        </Box>
        <ViewButton columns={columns} chosen={chosen} onChoose={choose} />
      </Box>
      <Listed<AnyRecord>
        label={metadata.plural_label}
        columns={shownColumns(columns, chosen)}
        empty={text('viewAs.nothing', { name: user.username })}
        to={({ id }) => recordPath(user, path, id)}
      />
      {seen === undefined ? null : <Missing user={user} metadata={metadata} path={path} seen={seen} />}
    </Stack>
  );
};

const recordPath = (user: User, path: string, id: number): string => `/users/${user.id}/view/${path}/${id}`;

const Hidden = () => {
  const text = useText();
  return (
    <Box component="span" sx={{ color: 'text.secondary', fontStyle: 'italic' }}>
      {text('viewAs.hidden')}
    </Box>
  );
};

/** A reference is its number here: the name of another record may be kept from that user. */
const seenReference = (value: unknown): string =>
  value === null || value === undefined ? '—' : `#${String(value)}`;

/** The value of a field as the user sees it; a record without the field hides it from them. */
export const seenColumn = (field: MetadataField, whole = false): Column<AnyRecord> => {
  const { render, ...column } = fieldColumn<AnyRecord>(field, whole);
  return {
    ...column,
    held: false,
    render: (record) => {
      if (!Object.hasOwn(record, field.name)) return <Hidden />;
      return field.reference === undefined ? render(record) : seenReference(record[field.name]);
    },
  };
};

const columnsOf = (
  metadata: Metadata,
  fields: readonly MetadataField[],
  user: User,
  path: string,
): readonly Column<AnyRecord>[] => {
  const naming = namingField(metadata);
  const usual = listedFields({ ...metadata, fields }).filter(({ name }) => name !== naming?.name);
  const others = fields.filter((field) => field.name !== naming?.name && !usual.includes(field));
  const name: Column<AnyRecord> = {
    name: naming?.name ?? 'id',
    label: naming?.label ?? metadata.label,
    fixed: true,
    names: true,
    render: (record) => <Link to={recordPath(user, path, record.id)}>{recordName(metadata, record)}</Link>,
  };
  return [
    name,
    ...usual.map((field) => seenColumn(field)),
    ...others.filter(({ name }) => name !== 'id').map((field) => ({ ...seenColumn(field), extra: true })),
  ];
};

interface RefusedProps extends Pick<SeenListProps, 'user' | 'path'> {
  readonly error: unknown;
}

/** Address of the explanation why a user sees what they see. */
export const explanationOf = (user: User, path: string): string =>
  `/explain?${new URLSearchParams({ user_id: String(user.id), method: 'GET', path: `/api/v1/${path}` })}`;

/** The answer that the user would get. */
export const Refused = ({ error, user, path }: RefusedProps) => {
  const text = useText();
  return (
    <Alert severity="info">
      {failureOf(error).message} <Link to={explanationOf(user, path)}>{text('viewAs.explain')}</Link>
    </Alert>
  );
};

/** Row rules in words, where a model has some. */
interface Isolated {
  readonly isolation?: { readonly read?: string };
}

interface MissingProps extends SeenListProps {
  readonly seen: Seen;
}

/** The part that the user does not see: the number of records with the rule that hides them, and the names of fields. */
const Missing = ({ user, metadata, path, seen }: MissingProps) => {
  const text = useText();
  const { data: all } = useQuery({
    queryKey: ['records in all', path],
    queryFn: async () => {
      const { headers } = await send('GET', `/admin/${recordsPrefix}${path}?page=1&per_page=1`);
      return Number(headers.get('x-total-count') ?? 0);
    },
  });
  const rule = (metadata as Metadata & Isolated).isolation?.read?.replaceAll('`', '');
  const records = Math.max(0, (all ?? 0) - seen.total);
  const labels = seen.hidden.map((name) => metadata.fields.find((each) => each.name === name)?.label ?? name);
  return (
    <Typography component="div" role="status" variant="body2" sx={missingStyle}>
      <span>{text('viewAs.count', { name: user.username, count: seen.total })}</span>
      {records === 0 ? null : (
        <span>
          {text('viewAs.hiddenRecords', { smart_count: records })}
          {rule === undefined ? null : <strong>{text('viewAs.because', { rule })}</strong>}{' '}
          <Link to={explanationOf(user, path)}>{text('viewAs.explain')}</Link>
        </span>
      )}
      {labels.length === 0 ? null : (
        <span>{text('viewAs.hiddenFields', { fields: labels.join(text('common.separator')) })}</span>
      )}
    </Typography>
  );
};

const missingStyle = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 3,
  rowGap: 0.5,
  color: 'text.secondary',
  '& strong': { fontWeight: 500, color: 'var(--lantern)' },
  '& .link': { textDecoration: 'underline' },
} as const;
