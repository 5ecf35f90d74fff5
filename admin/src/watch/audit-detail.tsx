/** The details of an entry of the audit log in words. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Fragment, type ReactNode } from 'react';
import { type KeyLimits, useLimitWords } from '../keys/limit-fields.tsx';
import { useScopeWords } from '../keys/scopes.ts';
import { Link } from '../parts/link.tsx';
import { Time } from '../parts/time.tsx';
import { visuallyHidden } from '../parts/visually-hidden.ts';
import { useWords } from '../records/use-metadata.ts';
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

/** The details of an entry of the audit log, with values before and after. */
export const AuditDetail = ({ detail: written }: Pick<AuditEntry, 'detail'>) => {
  const text = useText();
  const detail = withNamedOwner(written);
  const before = beforeIn(detail);
  const named = Object.entries(detail).filter(([name]) => name !== 'before');
  // Changed values come first.
  const parts = named.toSorted(([one], [other]) => Number(other in before) - Number(one in before));
  if (parts.length === 0) return '—';
  return (
    <Typography
      variant="body2"
      component="span"
      sx={parts.length > 0 && 'before' in detail ? { whiteSpace: 'normal' } : {}}
    >
      {parts.map(([name, value], index) => {
        const key = names[name];
        return (
          <Fragment key={name}>
            {index === 0 ? null : ' · '}
            <Typography variant="body2" component="span" sx={{ color: 'text.secondary' }}>
              {key === undefined ? name : text(key)}
            </Typography>{' '}
            {name in before ? (
              <>
                <Box
                  component="del"
                  sx={{ textDecoration: 'none', color: 'text.secondary', position: 'relative' }}
                >
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
              </>
            ) : null}
            <Value name={name} value={value} />
          </Fragment>
        );
      })}
    </Typography>
  );
};
