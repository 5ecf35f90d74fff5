/** Identity, roles and grants of a caller in one statement, which authentication runs for every request. */

import { type Networks, networksOf } from '../../auth/client-network.ts';
import type {
  Account,
  AccountStore,
  IdentifiedKey,
  Identity,
  IdentityStore,
  SecondFactorState,
} from '../../auth/ports.ts';
import { type KeyLimits, limitPolicy } from '../../auth/rate-limit.ts';
import { sessionLimitsAt } from '../../auth/session.ts';
import type { Database, Query, SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { timeText } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  join,
  own,
  param,
  prepare,
  type Statement,
  sql,
  statement,
  toQuery,
} from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { isAdministrator } from '../../policy/rule.ts';
import { storedFormsOf } from '../api-keys/stored-hash.ts';

interface IdentityRow {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  /** Names separated by blanks; null if there are none. Names of roles and actions contain no blank. */
  readonly roles: string | null;
  readonly granted: string | null;
  readonly must_change_password: boolean | number;
  readonly second_factor: boolean | number;
  readonly credential: number | null;
  /** End of an API key; null if it never expires. */
  readonly expires?: string | null;
  /** Texts of JSON arrays of a key; null where it has none. */
  readonly scopes?: string | null;
  readonly networks?: string | null;
  /** Text of a JSON object. */
  readonly limit?: string | null;
  readonly quota?: number | null;
}

const words = (text: string | null): string[] => (text === null ? [] : text.split(' '));

/** The second factor in the administration area: required of every administrator, or of no user. */
export type SecondFactorDemand = 'optional' | 'required';

/**
 * Creates a function that makes the identity of a row. `proved`: whether the credentials include the user's second
 * factor.
 */
const identityMaker =
  (demand: SecondFactorDemand) =>
  (row: IdentityRow, proved: 'given' | 'missing'): Identity => {
    const roles = words(row.roles);
    const without: SecondFactorState = demand === 'required' && isAdministrator({ roles }) ? 'due' : 'none';
    return {
      kind: 'user',
      id: row.id,
      username: row.username,
      email: row.email === '' ? null : row.email,
      name: row.name,
      roles,
      granted: words(row.granted),
      mustChangePassword: Boolean(row.must_change_password),
      secondFactor: row.second_factor ? proved : without,
    };
  };

const roles = sql`(select string_agg(ur.role, ' ') from ${own('user_roles')} ur where ur.user_id = u.id)`;

/**
 * A join, since `in (select …)` takes SQLite twice the time of the whole statement; its `cross join` keeps the order.
 */
const grantedOn = (
  models: readonly Fragment[],
): Fragment => sql`(select string_agg(p.model || '.' || p.action, ' ')
  from ${own('user_roles')} ur cross join ${own('permissions')} p
  where ur.user_id = u.id and p.role = ur.role and p.model in (${join(models)}))`;

const namedModel = (index: number): Fragment => param('models', index);

/**
 * One statement for each number of models whose grants are read. Identity, roles and grants are read from one
 * snapshot, in one round trip, for every request: a revocation takes effect with the next request at every process.
 */
const forms = <Arguments extends { readonly [name: string]: SqlValue }>(
  database: Database,
  rest: (value: Argument<Arguments>) => Fragment,
  credential: Fragment = sql`null as credential`,
) => {
  type Asked = Arguments & { readonly models: readonly string[] };
  const form = (count: number): Statement<Asked> =>
    statement<Asked>(database.dialect, (value) => {
      const models = Array.from({ length: count }, (_, index) => namedModel(index));
      const granted = count === 0 ? sql`null` : grantedOn(models);
      return sql`select u.id, u.username, u.email, u.name, u.must_change_password, u.second_factor, ${roles} as roles,
        ${granted} as granted, ${credential}
        from ${rest(value as Argument<Arguments>)} and u.disabled = false`;
    });
  const made = new Map<number, Statement<Asked>>();
  return (args: Arguments, models: readonly string[]): Query => {
    const known = made.get(models.length) ?? form(models.length);
    made.set(models.length, known);
    return known({ ...args, models });
  };
};

/**
 * A session without the second factor is invalid if its user has one: a process of an older version may have begun
 * it.
 */
const proved = sql`(u.second_factor = false or s.second_factor = true)`;

/** A service account is known by its keys only: a token or a session of one is invalid, even with a good signature. */
const signsIn = sql`u.kind = 'person'`;

/** End of a key. An infinite time, which no text expresses, comes before all others. */
const expiry = (dialect: Dialect): Fragment =>
  sql`coalesce(${timeText(dialect, sql`k.expires_at`)}, case when k.expires_at is not null then '' end)`;

/** Parsed restrictions by their stored texts, which are the same for each use of a key. */
const restrictionCache = {
  scopes: new BoundedCache<ReadonlySet<string>>(1_000),
  networks: new BoundedCache<Networks>(1_000),
  limits: new BoundedCache<KeyLimits>(1_000),
} as const;

const limitsIn = (limit: string | null | undefined, quota: number | null | undefined): KeyLimits => ({
  rate: limit == null ? undefined : limitPolicy('key', JSON.parse(limit)),
  quota: quota ?? undefined,
});

/** Restrictions of a key, undefined where it has none. */
const restrictions = ({
  scopes,
  networks,
  limit,
  quota,
}: IdentityRow): Pick<IdentifiedKey, 'scopes' | 'networks' | 'limits'> => ({
  scopes:
    scopes == null
      ? undefined
      : restrictionCache.scopes.getOrMake(scopes, () => new Set<string>(JSON.parse(scopes))),
  networks:
    networks == null
      ? undefined
      : restrictionCache.networks.getOrMake(networks, () => networksOf(JSON.parse(networks))),
  limits:
    limit == null && quota == null
      ? undefined
      : restrictionCache.limits.getOrMake(`${quota} ${limit}`, () => limitsIn(limit, quota)),
});

/** Returns whether an expiry, as text, is reached; undefined and null never are. */
const isOver = (expires: string | null | undefined, now: number): boolean =>
  expires != null && expires <= toTimestamp(now);

/** The statements of the store, compiled once for each number of models. */
const statementsFor = (database: Database) => {
  const keyColumns = sql`k.id as credential, ${expiry(database.dialect)} as expires,
    cast(k.scopes as text) as scopes, cast(k.networks as text) as networks,
    cast(k."limit" as text) as "limit", k.quota`;
  return {
    byId: forms<{ id: number }>(database, (value) => sql`${own('users')} u where u.id = ${value('id')}`),
    byToken: forms<{ id: number; expiry: number }>(
      database,
      (value) => sql`${own('users')} u where u.id = ${value('id')} and ${signsIn}
      and (u.revoked_token_expiry is null or u.revoked_token_expiry < ${value('expiry')})
      and not exists (select 1 from ${own('gatewright_revoked_tokens')} r
        where r.user_id = u.id and r.expiry = ${value('expiry')})`,
    ),
    byKey: forms<{ hash: string }>(
      database,
      (value) =>
        sql`${own('api_keys')} k join ${own('users')} u on u.id = k.user_id where k.key_hash in (${storedFormsOf(value('hash'))})`,
      keyColumns,
    ),
    byFormerSecret: forms<{ hash: string; now: string }>(
      database,
      (value) => sql`${own('gatewright_former_secrets')} f join ${own('api_keys')} k on k.id = f.key_id
      join ${own('users')} u on u.id = k.user_id where f.key_hash in (${storedFormsOf(value('hash'))}) and f.ends_at > ${value('now')}`,
      keyColumns,
    ),
    bySession: forms<{ hash: string; idle: string; born: string }>(
      database,
      (value) => sql`${own('sessions')} s join ${own('users')} u on u.id = s.user_id
      where s.session_hash = ${value('hash')} and ${proved} and ${signsIn}
        and s.last_used_at > ${value('idle')} and s.created_at > ${value('born')}`,
      sql`s.id as credential`,
    ),
    inSession: forms<{ id: number; within: number; idle: string; born: string }>(
      database,
      (value) => sql`${own('sessions')} s join ${own('users')} u on u.id = s.user_id
      where s.id = ${value('within')} and u.id = ${value('id')} and ${proved} and ${signsIn}
        and s.last_used_at > ${value('idle')} and s.created_at > ${value('born')}`,
    ),
  };
};

/**
 * Users by id, API key and session, as every request looks them up.
 * @param sessionUsed called at every use of a session
 * @param demand who must have a second factor
 */
export const createIdentityStore = (
  database: Database,
  sessionUsed: (id: number, now: number) => void,
  demand: SecondFactorDemand = 'optional',
): IdentityStore & {
  /** As `bySession`, without counting as a use of the session. */
  readonly readSession: IdentityStore['bySession'];
} => {
  const toIdentity = identityMaker(demand);
  const { byId, byToken, byKey, byFormerSecret, bySession, inSession } = statementsFor(database);
  const readSession: IdentityStore['bySession'] = async (hash, now, models) => {
    const row = await database.get<IdentityRow>(bySession({ hash, ...sessionLimitsAt(now) }, models));
    return row?.credential == null
      ? undefined
      : { identity: toIdentity(row, 'given'), sessionId: row.credential };
  };
  return {
    readSession,
    byUserId: async (id, models) => {
      const row = await database.get<IdentityRow>(byId({ id }, models));
      return row === undefined ? undefined : toIdentity(row, 'missing');
    },
    byToken: async (id, expiry, models) => {
      const row = await database.get<IdentityRow>(byToken({ id, expiry }, models));
      return row === undefined ? undefined : toIdentity(row, 'missing');
    },
    byUserInSession: async (id, within, now, models) => {
      const row = await database.get<IdentityRow>(inSession({ id, within, ...sessionLimitsAt(now) }, models));
      return row === undefined ? undefined : toIdentity(row, 'given');
    },
    byKeyHash: async (hash, now, models) => {
      // A statement of its own: it would add a sixth to the work of PostgreSQL for each request with a key.
      const row =
        (await database.get<IdentityRow>(byKey({ hash }, models))) ??
        (await database.get<IdentityRow>(byFormerSecret({ hash, now: toTimestamp(now) }, models)));
      return row?.credential == null || isOver(row.expires, now)
        ? undefined
        : { identity: toIdentity(row, 'missing'), keyId: row.credential, ...restrictions(row) };
    },
    bySession: async (hash, now, models) => {
      const found = await readSession(hash, now, models);
      if (found !== undefined) sessionUsed(found.sessionId, now);
      return found;
    },
  };
};

interface AccountRow {
  readonly id: number;
  readonly username: string;
  readonly password_hash: string;
  readonly disabled: boolean | number;
  readonly security_stamp: number;
}

/** Accounts for the login: a canonical name with an `@` is an email address, any other is a username. */
export const createAccountStore = (database: Database): AccountStore => {
  const db = tablesOf(database);
  const accountBy = (column: 'username_canonical' | 'email_canonical') =>
    prepare<{ canonical: string }>((param) =>
      db
        .selectFrom('users')
        .select(['id', 'username', 'password_hash', 'disabled', 'security_stamp'])
        .where(column, '=', param('canonical')),
    );
  const byUsername = accountBy('username_canonical');
  const byEmail = accountBy('email_canonical');
  return {
    byAccount: async (canonical): Promise<Account | undefined> => {
      const query = canonical.includes('@') ? byEmail({ canonical }) : byUsername({ canonical });
      const row = await database.get<AccountRow>(query);
      return row === undefined
        ? undefined
        : {
            id: row.id,
            username: row.username,
            passwordHash: row.password_hash,
            disabled: Boolean(row.disabled),
            securityStamp: row.security_stamp,
          };
    },
    replaceHash: async (id, formerHash, hash) => {
      const update = db
        .updateTable('users')
        .set({ password_hash: hash })
        .where('id', '=', id)
        .where('password_hash', '=', formerHash);
      await database.execute(toQuery(update));
    },
  };
};
