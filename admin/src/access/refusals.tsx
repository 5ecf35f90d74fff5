/** The list of rejected requests, on the page that explains access. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Address } from '../parts/address.tsx';
import { Link } from '../parts/link.tsx';
import { momentText } from '../parts/moment.ts';
import { type OwnColumn, OwnPart } from '../records/own-list.tsx';
import { useWords } from '../records/use-metadata.ts';
import { type Language, type Text, useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { questionOf, type Refusal } from './refusal.ts';
import { codeText, RefusalCauses } from './refusal-causes.tsx';

const Caller = ({ refusal }: { readonly refusal: Refusal }) => {
  const text = useText();
  const { caller_kind, caller_id, caller_name: owner, key_name, revoked_at } = refusal;
  if (caller_kind !== 'api_key') return <span>{owner}</span>;
  const name = key_name ?? `#${caller_id}`;
  if (!revoked_at) return <span>{text('refusals.key', { name, owner })}</span>;
  return (
    <span>
      {text('refusals.revokedKey', { name, owner })}
      {' · '}
      <Box component="span" sx={{ color: 'text.secondary' }}>
        <Revocation at={revoked_at} refusal={refusal} />
      </Box>
    </span>
  );
};

/** The time of a key's revocation and, if known, its author. */
const Revocation = ({ at, refusal }: { readonly at: string; readonly refusal: Refusal }) => {
  const text = useText();
  const language = useLanguage();
  const wordOf = useWords('audit');
  const { revoked_by_kind: kind, revoked_by_name: name } = refusal;
  const when = momentText(language, 'short', new Date(at));
  const who = name ?? (kind ? wordOf('actor_kind', kind) : undefined);
  if (who === undefined) return text('refusals.revokedAt', { when });
  return text('refusals.revokedBy', { when, who });
};

const columns = (text: Text, language: Language): OwnColumn<Refusal>[] => [
  {
    name: 'path',
    names: true,
    label: text('refusals.request'),
    sortable: false,
    render: (refusal) => (
      <Link to={questionOf(refusal)} label={`${text('explain.ask')} ${refusal.method} ${refusal.path}`}>
        <span style={{ fontFamily: monospace, fontSize: 13 }}>
          {refusal.method} {refusal.path}
        </span>
      </Link>
    ),
  },
  { name: 'caller_name', render: (refusal) => <Caller refusal={refusal} /> },
  {
    name: 'code',
    align: 'left',
    render: ({ code }) => codeText(code, text, language),
  },
  'refusals',
  { name: 'address', wide: true, render: ({ address }) => <Address value={address} /> },
  'refused_at',
];

/** Rejected requests of known callers in the last 24 hours: causes first, then each request with its explanation. */
export const Refusals = () => {
  const text = useText();
  const language = useLanguage();
  return (
    <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Typography sx={{ color: 'text.secondary', maxWidth: 720 }}>{text('refusals.lead')}</Typography>
      <RefusalCauses />
      <Typography variant="h2">{text('refusals.single')}</Typography>
      <OwnPart<Refusal>
        resource="refusals"
        sort={{ field: 'refused_at', order: 'DESC' }}
        label={text('refusals.title')}
        columns={columns(text, language)}
        to={questionOf}
        filters={['caller_name', 'key_name', 'path', 'code', 'address']}
        empty={text('refusals.empty')}
      />
    </Box>
  );
};
