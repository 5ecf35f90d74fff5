/** The memberships of a user and the access that they give, on the page of the user. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { listOf } from '../access/explanation.ts';
import { Failed } from '../parts/failed.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { UngrantedButton } from '../parts/ungranted.tsx';
import { FieldValue } from '../records/field-value.tsx';
import type { Metadata, ModelEntry, OpenedModel } from '../records/metadata.ts';
import type { AnyRecord } from '../records/record.ts';
import { useModel, useModelName, useModels } from '../records/use-metadata.ts';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { superAdmin, type User } from './user.ts';

/** The memberships of a user and the access that each gives; renders nothing if no row rule uses memberships. */
export const MembershipsOf = ({ user }: { readonly user: User }) => {
  const text = useText();
  const memberships = useModels().filter(({ opens }) => opens > 0);
  if (memberships.length === 0) return null;
  const isAdministrator = user.roles.some((role) => role === superAdmin || role === 'admin');
  return (
    <Section title={text('memberships.title')}>
      {isAdministrator ? <Alert severity="info">{text('memberships.everything')}</Alert> : null}
      {memberships.map((entry) => (
        <OfModel key={entry.model} entry={entry} user={user} />
      ))}
    </Section>
  );
};

interface OfModelProps {
  readonly entry: ModelEntry;
  readonly user: User;
}

const OfModel = ({ entry, user }: OfModelProps) => {
  const text = useText();
  const { data } = useModel(entry.model);
  const { label, plural_label: labels, path } = entry;
  return (
    <Paper variant="outlined" sx={{ p: 2 }}>
      <Stack
        direction="row"
        sx={{ alignItems: 'center', justifyContent: 'space-between', gap: 1, flexWrap: 'wrap', mb: 1 }}
      >
        <Typography variant="h3">{labels}</Typography>
        {data === undefined ? null : data.metadata.permissions.create ? (
          <LinkButton size="small" to={`/records/${path}/create?user_id=${user.id}`}>
            {text('memberships.add', { label })}
          </LinkButton>
        ) : (
          <UngrantedButton action="create" label={labels} size="small">
            {text('memberships.add', { label })}
          </UngrantedButton>
        )}
      </Stack>
      {data === undefined ? null : <Memberships entry={entry} metadata={data.metadata} user={user} />}
    </Paper>
  );
};

/** Number of shown memberships; the list has all of them. */
const shown = 20;

const Memberships = ({ entry, metadata, user }: OfModelProps & { readonly metadata: Metadata }) => {
  const text = useText();
  const nameOf = useModelName();
  const { plural_label: labels, path } = entry;
  const { opens = [], permissions } = metadata;
  const { data, error } = useQuery({
    queryKey: ['memberships', path, user.id],
    enabled: permissions.list,
    queryFn: () =>
      dataProvider.getList<AnyRecord>(recordsPrefix + path, {
        filter: { user_id: user.id },
        pagination: { page: 1, perPage: shown },
        sort: { field: 'id', order: 'ASC' },
      }),
  });
  if (!permissions.list)
    return <Typography variant="body2">{text('memberships.unread', { labels })}</Typography>;
  if (error) return <Failed error={error} />;
  if (data === undefined) return null;
  const { data: records, total = 0 } = data;
  if (records.length === 0) {
    const models = [
      ...new Set(opens.map(({ model }) => text('memberships.accessTo', { labels: nameOf(model) }))),
    ].join(text('common.separator'));
    return <Typography variant="body2">{text('memberships.empty', { labels, models })}</Typography>;
  }
  return (
    <>
      <Stack component="ul" sx={{ m: 0, p: 0, listStyle: 'none', gap: 1 }}>
        {records.map((record) => (
          <Membership key={record.id} path={path} record={record} metadata={metadata} />
        ))}
      </Stack>
      {total > records.length ? (
        <Typography variant="body2" sx={{ mt: 1 }}>
          <Link to={listOf(path, { user_id: user.id })}>{text('memberships.all', { count: total })}</Link>
        </Typography>
      ) : null}
    </>
  );
};

interface MembershipProps {
  readonly path: string;
  readonly record: AnyRecord;
  readonly metadata: Metadata;
}

const Membership = ({ path, record, metadata }: MembershipProps) => {
  const text = useText();
  const { fields, label, opens = [] } = metadata;
  const decisiveFields = new Set(opens.flatMap(({ on, where }) => [on, ...where.map(({ field }) => field)]));
  return (
    <Stack component="li" direction="row" sx={{ columnGap: 2, rowGap: 0.25, flexWrap: 'wrap' }}>
      <Stack direction="row" sx={{ columnGap: 1.5, rowGap: 0.25, flexWrap: 'wrap', alignItems: 'center' }}>
        <Link
          to={`/records/${path}/${encodeURIComponent(record.id)}/show`}
          label={text('records.open', { label, id: record.id })}
        >
          #{record.id}
        </Link>
        {fields
          .filter(({ name }) => decisiveFields.has(name))
          .map((field) => (
            <Stack key={field.name} direction="row" sx={{ gap: 0.75, alignItems: 'center' }}>
              <Typography component="span" variant="body2" sx={{ color: 'text.secondary' }}>
                {field.label}
              </Typography>
              <FieldValue field={field} value={record[field.name]} />
            </Stack>
          ))}
      </Stack>
      <Opened record={record} opens={opens} />
    </Stack>
  );
};

/** The access that a membership gives to records of a model. */
interface Opening {
  readonly opened: OpenedModel;
  readonly access: 'read' | 'write' | 'both';
}

/** The openings whose conditions the membership meets, one for each model and field. */
const openingsOf = (record: AnyRecord, opens: readonly OpenedModel[]): readonly Opening[] => {
  const met = opens.filter(({ on, where }) =>
    [record[on] !== null, ...where.map(({ field, values }) => values.includes(String(record[field])))].every(
      Boolean,
    ),
  );
  const found = new Map<string, Opening>();
  for (const opened of met) {
    const key = `${opened.model} ${opened.on} ${opened.field}`;
    const known = found.get(key);
    const access = known === undefined || known.access === opened.access ? opened.access : 'both';
    found.set(key, { opened, access });
  }
  return [...found.values()];
};

/** Link to the opened records: the record itself, the list of records with the value, or the list of the model. */
const pageOf = ({ path, field, on }: OpenedModel, record: AnyRecord): string => {
  if (field === 'id') return `/records/${path}/${encodeURIComponent(String(record[on]))}/show`;
  return field === null ? `/records/${path}` : listOf(path, { [field]: record[on] });
};

const Opened = ({ record, opens }: Pick<MembershipProps, 'record'> & Pick<Metadata, 'opens'>) => {
  const text = useText();
  const nameOf = useModelName();
  const openings = openingsOf(record, opens ?? []);
  if (openings.length === 0)
    return (
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {text('memberships.opensNothing')}
      </Typography>
    );
  return (
    <Stack direction="row" sx={{ columnGap: 1.5, rowGap: 0.25, flexWrap: 'wrap', alignItems: 'center' }}>
      <Typography component="span" variant="body2" sx={{ color: 'text.secondary' }}>
        {text('memberships.opens')}
      </Typography>
      {openings.map(({ opened, access }) => (
        <Box component="span" key={`${opened.model} ${opened.field}`}>
          <Link to={pageOf(opened, record)}>{nameOf(opened.model)}</Link>
          <Typography component="span" variant="body2" sx={{ color: 'text.secondary' }}>
            {text('memberships.opened', { access: text(`memberships.access.${access}`) })}
          </Typography>
        </Box>
      ))}
    </Stack>
  );
};
