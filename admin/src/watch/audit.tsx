/** The page of the audit log. */

import Typography from '@mui/material/Typography';
import { Address } from '../parts/address.tsx';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useModels, useWords } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import type { AuditEntry } from './audit-detail.tsx';
import { AuditDetail } from './audit-detail.tsx';

export const AuditActor = ({ entry }: { readonly entry: AuditEntry }) => {
  const wordOf = useWords('audit');
  const { actor_kind: kind, actor_id: id, actor_name: name } = entry;
  if (kind === 'user' && id !== null) return <Link to={`/users/${id}/show`}>{name ?? id}</Link>;
  return <span>{name ?? wordOf('actor_kind', kind)}</span>;
};

/** Paths of the pages of targets, by kind. */
const places: Readonly<Record<string, string>> = { user: 'users', webhook: 'webhooks' };

export const AuditTarget = ({ entry }: { readonly entry: AuditEntry }) => {
  const wordOf = useWords('audit');
  const model = useModels().find((each) => each.model === entry.target_kind);
  const { target_kind: kind, target_id: id, target_name: name } = entry;
  const words = name ?? (model === undefined || id === null ? id : `#${id}`) ?? '—';
  const place = model === undefined ? places[kind] : `records/${model.path}`;
  return (
    <>
      <Typography variant="body2" component="span" sx={{ color: 'text.secondary' }}>
        {model?.label ?? wordOf('target_kind', kind)}
      </Typography>{' '}
      {place === undefined || id === null ? words : <Link to={`/${place}/${id}/show`}>{words}</Link>}
    </>
  );
};

const Action = ({ action }: { readonly action: string }) => useWords('audit')('action', action);

const entryPath = (id: number): string => `/audit/${id}/show`;

const columns: readonly OwnColumn<AuditEntry>[] = [
  {
    name: 'created_at',
    wide: false,
    fixed: true,
    render: ({ id, created_at }) => (
      <Link to={entryPath(id)}>
        <RelativeTime value={created_at} />
      </Link>
    ),
  },
  {
    name: 'actor_name',
    render: (entry) => <AuditActor entry={entry} />,
  },
  {
    name: 'action',
    names: true,
    render: ({ action }) => <Action action={action} />,
  },
  { name: 'target_name', render: (entry) => <AuditTarget entry={entry} /> },
  {
    name: 'detail',
    render: ({ detail }) => <AuditDetail detail={detail} />,
  },
  {
    name: 'address',
    wide: true,
    render: ({ address }) => <Address value={address} />,
  },
];

/** The audit log: changes with their actor, address and time. */
export const Audit = () => {
  const text = useText();
  return (
    <OwnList<AuditEntry>
      resource="audit"
      title={text('titles.audit')}
      lead={text('audit.lead')}
      columns={columns}
      to={({ id }) => entryPath(id)}
      hidden={['id', 'actor_kind', 'actor_id', 'target_kind', 'target_id']}
      empty={text('audit.empty')}
    />
  );
};
