import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Address } from '../parts/address.tsx';
import { Link } from '../parts/link.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { AuditDetail } from './audit-detail.tsx';
import { type AuditEntry, actionKeys, actionText, kindText } from './audit-entry.ts';

const Actor = ({ entry }: { readonly entry: AuditEntry }) => {
  const text = useText();
  const { actor_kind: kind, actor_id: id, actor_name: name } = entry;
  if (kind === 'user' && id !== null) return <Link to={`/users/${id}/show`}>{name ?? id}</Link>;
  return <span>{name ?? kindText(text, kind)}</span>;
};

/** Where the page of a thing of that kind is. */
const places: Readonly<Record<string, string>> = { user: 'users', webhook: 'webhooks' };

const Target = ({ entry }: { readonly entry: AuditEntry }) => {
  const text = useText();
  const { target_kind: kind, target_id: id, target_name: name } = entry;
  const words = name ?? id ?? '—';
  const place = places[kind];
  return (
    <Box sx={{ minWidth: 100, overflowWrap: 'anywhere' }}>
      <Typography variant="body2" component="span" sx={{ color: 'text.secondary' }}>
        {kindText(text, kind)}
      </Typography>{' '}
      {place === undefined || id === null ? words : <Link to={`/${place}/${id}/show`}>{words}</Link>}
    </Box>
  );
};

const columns = (text: Text): OwnColumn<AuditEntry>[] => [
  { name: 'created_at', wide: false },
  {
    name: 'actor_name',
    render: (entry) => (
      <Box sx={{ minWidth: 80, overflowWrap: 'anywhere' }}>
        <Actor entry={entry} />
      </Box>
    ),
  },
  {
    name: 'action',
    short: true,
    render: ({ action }) => actionText(text, action),
  },
  { name: 'target_name', render: (entry) => <Target entry={entry} /> },
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

/** The audit list: changes with their actor, address and time. */
export const Audit = () => {
  const text = useText();
  return (
    <OwnList<AuditEntry>
      resource="audit"
      title={text('audit.title')}
      lead={text('audit.lead')}
      columns={columns(text)}
      choices={{
        action: Object.entries(actionKeys).map(([value, key]) => ({ value, label: text(key) })),
      }}
      empty={text('audit.empty')}
    />
  );
};
