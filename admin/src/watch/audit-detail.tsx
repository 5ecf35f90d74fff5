/** The details of an entry of the audit log in words. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Fragment, type ReactNode } from 'react';
import { type KeyLimits, useLimitWords } from '../keys/limit-fields.tsx';
import { useScopeWords } from '../keys/scopes.ts';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Link } from '../parts/link.tsx';
import { Time } from '../parts/time.tsx';
import { visuallyHidden } from '../parts/visually-hidden.ts';
import { useModelName, useWords } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';
import { monospace } from '../theme.ts';

/** An entry of the audit log. */
export interface AuditEntry {
  readonly id: number;
  readonly created_at: string;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly action: string;
  readonly target_kind: string;
  readonly target_id: string | null;
  readonly target_name: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly address: string | null;
}

/** Labels of details; unknown names stay as they are. */
const names: Readonly<Record<string, TextKey>> = {
  user_id: 'keys.owner',
  name: 'keys.name',
  expires_at: 'keys.expiresAt',
  scopes: 'keys.access.scopes',
  networks: 'keys.access.networks',
  limit: 'keys.access.limits',
  quota: 'keys.access.quota',
  kept_session: 'sessions.current',
  roles: 'users.roles',
  disabled: 'users.disabled',
  must_change_password: 'users.mustChange',
  fields: 'audit.fields',
  sessions: 'audit.sessions',
  account: 'audit.details.account',
  method: 'audit.details.method',
  path: 'audit.details.path',
  serial: 'audit.details.serial',
  same_serial: 'audit.details.sameSerial',
  added: 'audit.details.added',
  changed: 'audit.details.changed',
  removed: 'audit.details.removed',
  jwt_secret: 'audit.details.jwtSecret',
  grace_seconds: 'audit.details.grace',
  more: 'audit.details.more',
  since: 'audit.details.since',
  reason: 'audit.details.reason',
  url: 'webhooks.url',
  models: 'webhooks.models',
  actions: 'webhooks.actions',
  overlap: 'audit.details.overlap',
  delivery: 'audit.details.delivery',
  model: 'audit.details.model',
  record: 'audit.details.record',
  created: 'audit.details.created',
  updated: 'audit.details.updated',
  by: 'audit.details.by',
  provider: 'audit.details.provider',
  issuer: 'audit.details.issuer',
  second_factor: 'audit.details.secondFactor',
  left: 'audit.details.left',
  replaced: 'audit.details.replaced',
  address: 'audit.details.address',
  user_agent: 'audit.details.userAgent',
  key: 'audit.details.key',
  event: 'audit.details.event',
  events: 'audit.details.events',
  versions: 'audit.details.versions',
  deliveries: 'audit.details.deliveries',
  trash: 'audit.details.trash',
  jobs: 'audit.details.jobs',
  leaked: 'audit.details.leaked',
  managed: 'audit.details.managed',
  email_taken: 'audit.details.emailTaken',
  ticket: 'audit.details.ticket',
  invitation: 'audit.details.invitation',
  session_id: 'audit.details.sessionId',
  username: 'users.username',
  email: 'users.email',
};

/** The words for a part of the details; a name that these pages do not know stays as it is. */
const labelOf = (text: Text, name: string): string => {
  const key = names[name];
  return key === undefined ? name : text(key);
};

const fieldNames: Readonly<Record<string, TextKey>> = {
  username: 'users.username',
  email: 'users.email',
  name: 'users.name',
  password: 'users.password',
  roles: 'users.roles',
  disabled: 'users.state',
  must_change_password: 'users.mustChange',
};

const fieldName = (text: Text, name: unknown): string => {
  const key = fieldNames[String(name)];
  return key === undefined ? String(name) : text(key);
};

const actionNames: Readonly<Record<string, TextKey>> = {
  create: 'history.actions.create',
  update: 'history.actions.update',
  destroy: 'history.actions.destroy',
};

/** A value of a list. */
const elementText = (text: Text, name: string, value: string): string => {
  if (name === 'fields') return fieldName(text, value);
  const action = name === 'actions' ? actionNames[value] : undefined;
  return action === undefined ? value : text(action);
};

interface DetailProps {
  readonly name: string;
  readonly value: unknown;
}

const isTextsOrNull = (value: unknown): value is readonly string[] | null =>
  value === null || (Array.isArray(value) && value.every((each) => typeof each === 'string'));

const ModelName = ({ model }: { readonly model: string }) => useModelName()(model);

const factorNames: Readonly<Record<string, TextKey>> = {
  totp: 'audit.details.factors.totp',
  recovery_code: 'audit.details.factors.recoveryCode',
  passkey: 'audit.details.factors.passkey',
};

const FactorName = ({ by }: { readonly by: string }) => {
  const text = useText();
  const key = factorNames[by];
  return key === undefined ? by : text(key);
};

const Value = ({ name, value }: DetailProps): ReactNode => {
  const text = useText();
  const wordOf = useWords('audit');
  const words = useScopeWords();
  const limits = useLimitWords();
  if (name === 'user_id' && typeof value === 'number')
    return <Link to={`/users/${value}/show`}>#{value}</Link>;
  if (name === 'expires_at' && (value === null || typeof value === 'string'))
    return <Time value={value} format="day" otherwise={text('keys.neverExpires')} />;
  if (name === 'scopes' && isTextsOrNull(value)) return words(value).join(text('keys.access.separator'));
  if (name === 'networks' && value === null) return text('keys.access.everywhere');
  if ((name === 'limit' || name === 'quota') && value === null) return text('keys.access.noLimits');
  if (name === 'limit')
    return limits({ limit: value as KeyLimits['limit'], quota: null }).join(text('keys.access.separator'));
  if (name === 'model' && typeof value === 'string') return <ModelName model={value} />;
  if (name === 'second_factor' && typeof value === 'string') return <FactorName by={value} />;
  if (name === 'since' && typeof value === 'string') return <Time value={value} format="full" />;
  if (name === 'account' && value === 'unknown') return text('audit.details.unknown');
  if (name === 'more' && typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([action, count]) => `${wordOf('action', action)} × ${count}`)
      .join(text('common.separator'));
  if (value === null) return '—';
  if (typeof value === 'boolean') return text(value ? 'common.yes' : 'common.no');
  if (Array.isArray(value))
    return value.map((each) => elementText(text, name, String(each))).join(text('common.separator'));
  return typeof value === 'string' || typeof value === 'number' ? (
    value
  ) : (
    <code style={{ fontFamily: monospace }}>{JSON.stringify(value)}</code>
  );
};

/** A change of the owner in the form of other changes: a value before and one after. */
const withNamedOwner = (detail: AuditEntry['detail']): AuditEntry['detail'] => {
  const { fields, before = null, after, ...others } = detail;
  const [owner, ...more] = Array.isArray(fields) ? fields : [];
  if (after === undefined || typeof owner !== 'string' || more.length > 0) return detail;
  return { ...others, [owner]: after, before: { [owner]: before } };
};

/** Values before a change, shown beside the values after it. */
const beforeIn = ({ before }: AuditEntry['detail']): Readonly<Record<string, unknown>> =>
  typeof before === 'object' && before !== null ? { ...before } : {};

interface ChangeProps extends DetailProps {
  readonly before: Readonly<Record<string, unknown>>;
}

/** A value; after a change the one before it too. */
const ChangedValue = ({ name, value, before }: ChangeProps) => {
  const text = useText();
  if (!(name in before)) return <Value name={name} value={value} />;
  return (
    <>
      <Box component="del" sx={{ textDecoration: 'none', color: 'text.secondary', position: 'relative' }}>
        <Box component="span" sx={visuallyHidden}>
          {text('history.before')}{' '}
        </Box>
        <Value name={name} value={before[name]} />
      </Box>
      <Box component="span" sx={{ position: 'relative' }}>
        <span aria-hidden="true"> → </span>
        <Box component="span" sx={visuallyHidden}>
          {text('history.after')}{' '}
        </Box>
      </Box>
      <Value name={name} value={value} />
    </>
  );
};

/** The details of an entry by their names, and the values before it. Changed values come first. */
const partsOf = (written: AuditEntry['detail']) => {
  const detail = withNamedOwner(written);
  const before = beforeIn(detail);
  const named = Object.entries(detail).filter(([name]) => name !== 'before');
  const parts = named.toSorted(([one], [other]) => Number(other in before) - Number(one in before));
  return { parts, before, isChange: 'before' in detail };
};

/** The details of an entry of the audit log in a line. */
export const AuditDetail = ({ detail }: Pick<AuditEntry, 'detail'>) => {
  const text = useText();
  const { parts, before, isChange } = partsOf(detail);
  if (parts.length === 0) return '—';
  return (
    <Typography variant="body2" component="span" sx={isChange ? { whiteSpace: 'normal' } : {}}>
      {parts.map(([name, value], index) => (
        <Fragment key={name}>
          {index === 0 ? null : ' · '}
          <Typography variant="body2" component="span" sx={{ color: 'text.secondary' }}>
            {labelOf(text, name)}
          </Typography>{' '}
          <ChangedValue name={name} value={value} before={before} />
        </Fragment>
      ))}
    </Typography>
  );
};

/** The details of an entry of the audit log, each under its name; renders nothing if there are none. */
export const AuditFacts = ({ detail }: Pick<AuditEntry, 'detail'>) => {
  const text = useText();
  const { parts, before } = partsOf(detail);
  if (parts.length === 0) return null;
  return (
    <Facts
      facts={parts.map(
        ([name, value]): Fact => [
          labelOf(text, name),
          <ChangedValue key={name} name={name} value={value} before={before} />,
        ],
      )}
    />
  );
};
