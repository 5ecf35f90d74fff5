/** The effects of a deletion in words. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Link } from '../parts/link.tsx';
import { useModel, useModels } from '../records/use-metadata.ts';
import { type Text, useLanguage, useText } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';
import type { Forecast, Reference } from './forecast.ts';

interface ConsequencesProps {
  readonly forecast: Forecast;
  /** Number of records to be deleted. */
  readonly count: number;
  /** Name by which other records refer to it, if not its id. */
  readonly name: string | undefined;
}

const groups = ['restrict', 'cascade', 'trash', 'null', 'keep'] as const;

const groupOf = ({ on_delete, trash }: Reference): (typeof groups)[number] =>
  on_delete === 'cascade' && trash ? 'trash' : on_delete;

/** The records that refer to the deleted ones, their fate, and the remedy if they prevent the deletion. */
export const Consequences = ({ forecast, count, name }: ConsequencesProps) => {
  const text = useText();
  const { references, refused } = forecast;
  return (
    <Box sx={{ display: 'grid', gap: 1.5, mt: 1.5 }}>
      {refused.length === 0 ? null : (
        <Alert severity="error">
          {count === 1
            ? text('deletion.refused')
            : text('deletion.someRefused', { count, refused: refused.length })}
          {adviceOf(text, forecast)}
        </Alert>
      )}
      {references.length === 0 ? (
        <Typography variant="body2">{text('deletion.nothing')}</Typography>
      ) : (
        groups.map((group) => (
          <Group
            key={group}
            group={group}
            references={references.filter((each) => groupOf(each) === group)}
            name={name}
          />
        ))
      )}
    </Box>
  );
};

const advised: Readonly<Record<string, TextKey>> = {
  still_referenced: 'deletion.advice.still_referenced',
  cascade_too_large: 'deletion.advice.cascade_too_large',
  last_super_admin: 'deletion.advice.last_super_admin',
  role_in_use: 'deletion.advice.role_in_use',
  built_in_role: 'deletion.advice.built_in_role',
};

const adviceOf = (text: Text, { refused }: Forecast): string =>
  [...new Set(refused.map(({ problem }) => problem))]
    .flatMap((problem) => {
      const key = advised[problem];
      return key === undefined ? [] : [text(key)];
    })
    .join(' ');

interface GroupProps {
  readonly group: (typeof groups)[number];
  readonly references: readonly Reference[];
  readonly name: string | undefined;
}

const Group = ({ group, references, name }: GroupProps) => {
  const text = useText();
  if (references.length === 0) return null;
  return (
    <Box component="section">
      <Typography
        variant="body2"
        component="h3"
        sx={{ fontWeight: 650, color: group === 'restrict' ? 'error.main' : 'text.primary' }}
      >
        {text(`deletion.group.${group}`)}
      </Typography>
      <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
        {references.map((reference) => (
          <li key={`${reference.model} ${reference.field} ${reference.trash}`}>
            <ReferenceRow reference={reference} name={name} />
          </li>
        ))}
      </Box>
    </Box>
  );
};

const ownNames: Readonly<Record<string, TextKey>> = {
  ApiKey: 'deletion.own.keys',
  Session: 'deletion.own.sessions',
  Webhook: 'deletion.own.webhooks',
  User: 'deletion.own.users',
  Permission: 'deletion.own.permissions',
  Invitation: 'deletion.own.invitations',
};

/** Link to a list of exactly these records; undefined if there is none. */
const listOf = ({ resource, field, to }: Reference, name: string | undefined): string | undefined => {
  const filtered = (filter: object): string =>
    `/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
  if (resource === 'api_keys' && field === 'user')
    return name === undefined ? undefined : filtered({ user: name });
  if (resource === 'permissions') return '/permissions';
  if (field === 'roles' || field === 'webhook' || resource === 'sessions') return undefined;
  if (to.length === 0) return undefined;
  return filtered(to.length === 1 ? { [field]: to[0] } : { [`${field}@in`]: to.join(',') });
};

export const ReferenceRow = ({
  reference,
  name,
}: {
  readonly reference: Reference;
  readonly name: string | undefined;
}) => {
  const text = useText();
  const language = useLanguage();
  const { model, resource, count, more } = reference;
  const entry = useModels().find((each) => each.model === model);
  const isOne = count === 1 && !more;
  const label = resource.startsWith('records/')
    ? (entry?.[isOne ? 'label' : 'plural_label'] ?? model)
    : text(ownNames[model] ?? 'deletion.own.deliveries', { count: isOne ? 1 : 2 });
  if (count === null) return <>{text('deletion.hidden', { label })}</>;
  const shown = new Intl.NumberFormat(language).format(count);
  const words = text(more ? 'deletion.countMore' : 'deletion.count', { label, count: shown });
  const list = listOf(reference, name);
  return (
    <>
      {list === undefined ? words : <Link to={list}>{words}</Link>}
      {entry === undefined ? null : <FieldName reference={reference} />}
    </>
  );
};

/** The referring field: a model may refer by several fields. */
const FieldName = ({ reference: { model, field, on_delete, trash } }: { readonly reference: Reference }) => {
  const text = useText();
  const { data } = useModel(model);
  const label = data?.metadata.fields.find(({ name }) => name === field)?.label ?? field;
  return (
    <Typography component="span" variant="body2" sx={{ color: 'text.secondary' }}>
      {` · ${text('deletion.field', { label })}`}
      {on_delete === 'null' && trash ? ` · ${text('deletion.setAgain')}` : ''}
    </Typography>
  );
};
