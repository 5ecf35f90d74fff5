import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { ListBase } from 'ra-core';
import { Address } from '../parts/address.tsx';
import type { Column } from '../parts/column.ts';
import { saidInPlace } from '../parts/failed.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-field.ts';
import { Link } from '../parts/link.tsx';
import { Listed } from '../parts/listed.tsx';
import { momentText } from '../parts/moment.ts';
import { sentenceOfCode } from '../parts/problem.ts';
import { RelativeTime } from '../parts/time.tsx';
import { type Language, type Text, useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { kindText } from '../watch/audit-entry.ts';

interface Refusal {
  readonly id: number;
  readonly refused_at: string;
  readonly refusals: number;
  readonly caller_kind: 'user' | 'api_key' | 'application';
  readonly caller_id: string;
  readonly caller_name: string;
  /** Of a key, also once it was revoked. An instance of an older version does not say it. */
  readonly key_name?: string | null;
  readonly revoked_at?: string | null;
  readonly revoked_by_kind?: string | null;
  readonly revoked_by_name?: string | null;
  readonly method: string;
  readonly path: string;
  readonly code: number;
  readonly address: string;
}

const callers = { user: 'user_id', api_key: 'api_key_id', application: 'app_id' } as const;

/** The question that the refusal answers, and what was answered then. */
const questionOf = ({ caller_kind, caller_id, method, path, code }: Refusal): string =>
  `/explain?${new URLSearchParams({ [callers[caller_kind]]: caller_id, method, path, was: String(code) })}`;

const Caller = ({ refusal }: { readonly refusal: Refusal }) => {
  const text = useText();
  const { caller_kind, caller_id, caller_name: owner, key_name, revoked_at } = refusal;
  if (caller_kind !== 'api_key') return <span>{owner}</span>;
  const name = key_name ?? `#${caller_id}`;
  if (!revoked_at) return <span>{text('refusals.key', { name, owner })}</span>;
  return (
    <span>
      {text('refusals.revokedKey', { name, owner })}
      <Typography variant="body2" component="span" sx={{ display: 'block', color: 'text.secondary' }}>
        <Revocation at={revoked_at} refusal={refusal} />
      </Typography>
    </span>
  );
};

/** When a key was revoked, and by whom as far as that is known. */
const Revocation = ({ at, refusal }: { readonly at: string; readonly refusal: Refusal }) => {
  const text = useText();
  const language = useLanguage();
  const { revoked_by_kind: kind, revoked_by_name: name } = refusal;
  const when = momentText(language, 'short', new Date(at));
  const who = name ?? (kind ? kindText(text, kind) : undefined);
  if (who === undefined) return text('refusals.revokedAt', { when });
  return text('refusals.revokedBy', { when, who });
};

const columns = (text: Text, language: Language): Column<Refusal>[] => [
  {
    name: 'path',
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
  {
    name: 'caller_name',
    label: text('explain.caller'),
    render: (refusal) => <Caller refusal={refusal} />,
  },
  {
    name: 'code',
    label: text('refusals.reason'),
    render: ({ code }) =>
      `${code} ${code === 40400 ? text('refusals.hidden') : sentenceOfCode(code, language)}`,
  },
  { name: 'refusals', label: text('refusals.times'), align: 'right', render: ({ refusals }) => refusals },
  {
    name: 'address',
    label: text('refusals.address'),
    wide: true,
    render: ({ address }) => <Address value={address} />,
  },
  {
    name: 'refused_at',
    label: text('refusals.last'),
    render: ({ refused_at }) => <RelativeTime value={refused_at} />,
  },
];

const filters = (text: Text): FilterField[] => [
  { name: 'caller_name', label: text('explain.caller'), kind: 'text', operators: ['like', 'eq'] },
  { name: 'key_name', label: text('refusals.keyName'), kind: 'text', operators: ['eq', 'like'] },
  { name: 'path', label: text('explain.path'), kind: 'text', operators: ['like', 'starts_with'] },
  { name: 'code', label: text('refusals.reason'), kind: 'number', operators: ['eq'] },
  { name: 'address', label: text('refusals.address'), kind: 'text', operators: ['eq', 'starts_with'] },
];

/** What known callers were refused within a day; each leads to its explanation. */
export const Refusals = () => {
  const text = useText();
  const language = useLanguage();
  return (
    <Stack sx={{ gap: 1 }}>
      <Typography variant="h2">{text('refusals.title')}</Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {text('refusals.lead')}
      </Typography>
      <ListBase
        resource="refusals"
        sort={{ field: 'refused_at', order: 'DESC' }}
        perPage={10}
        disableAuthentication
        disableSyncWithLocation
        exporter={false}
        queryOptions={saidInPlace}
      >
        <Stack sx={{ gap: 1.5 }}>
          <FilterBar fields={filters(text)} searchable={false} />
          <Listed<Refusal>
            label={text('refusals.title')}
            columns={columns(text, language)}
            empty={text('refusals.empty')}
          />
        </Stack>
      </ListBase>
    </Stack>
  );
};
