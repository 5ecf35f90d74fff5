import { createHash } from 'node:crypto';

/** Number of users who send the requests of a case, each in turn. */
export const callers = 32;

/** Numbers from 1 to the largest one, neighbours far from each other; beyond that many they repeat. */
export const spread = (count: number, most: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 1 + ((index * 197) % most));

/** Names of the callers, of whom user 1 was there before; the others have the same password. */
export const callerNames: readonly string[] = Array.from({ length: callers }, (_, index) =>
  index === 0 ? 'bench' : `caller${index + 1}`,
);

/** Kinds of keys by their columns `scopes`, `limit` and `quota`, as SQL. */
const kinds = {
  plain: 'null, null, null',
  scoped: `'["orders:read"]', null, null`,
  limited: `null, '{"max":10000000,"window":"1h"}', 1000000000`,
} as const;

export type KeyKind = keyof typeof kinds;

/** The key of a kind that a caller has; callers are numbered from 0. */
export const callerKey = (caller: number, kind: KeyKind = 'plain'): string =>
  createHash('sha256').update(`${kind} key of caller ${caller}`).digest('hex');

/** Further users, each with a key: a planner of small tables prefers to read them whole. */
const others = 10_000;

/**
 * Statements that add users 2 to 32 with the role of user 1, a key of each kind for each of the 32, and further users
 * with keys. `now` is SQL.
 */
export const callerRows = (now: string): readonly string[] => {
  const names = callerNames.slice(1).map((name) => `select '${name}' as name`);
  const keys = Object.entries(kinds).flatMap(([kind, columns]) =>
    Array.from({ length: callers }, (_, caller) => {
      const key = callerKey(caller, kind as KeyKind);
      const hash = createHash('sha256').update(key).digest('hex');
      return `(${caller + 1}, 'bench', '${hash}', '${key.slice(0, 8)}', ${now}, ${columns})`;
    }),
  );
  return [
    `insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
     select n.name, n.name, n.name || '@example.com', n.name || '@example.com', n.name, u.password_hash, ${now}, ${now}
     from (${names.join(' union all ')}) n join users u on u.id = 1 order by length(n.name), n.name`,
    `insert into user_roles (user_id, role) select id, 'super_admin' from users where id between 2 and ${callers}`,
    `insert into api_keys (user_id, name, key_hash, key_prefix, created_at, scopes, "limit", quota) values ${keys.join(', ')}`,
    `insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
     with recursive n (i) as (select 1 union all select i + 1 from n where i < ${others})
     select 'other' || i, 'other' || i, 'other' || i, 'other' || i, 'other' || i, '-', ${now}, ${now} from n`,
    `insert into user_roles (user_id, role) select id, 'viewer' from users where id > ${callers}`,
    `insert into api_keys (user_id, name, key_hash, key_prefix, created_at)
     select id, 'bench', username, username, ${now} from users where id > ${callers}`,
  ];
};
