/**
 * Search for secrets by their SHA-256, among present, replaced and revoked keys: behind the search for leaked keys.
 */

import type { Reader } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { timeText } from '../../database/source.ts';
import {
  identifier,
  join,
  literal,
  own,
  param,
  type Statement,
  sql,
  statement,
  tableName,
} from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { plainHash, plainHashIn, storedFormsOf } from './stored-hash.ts';

/** `replaced`: a rotation replaced the secret, and its overlap has ended. `revoked`: the key was deleted. */
export type SecretStatus = 'active' | 'expired' | 'replaced' | 'revoked';

/** A secret that is or was one of a key of this service. */
export interface KnownSecret {
  /** As it is stored: `plainHash` returns the SHA-256. */
  readonly key_hash: string;
  /** Id of the key. */
  readonly id: number;
  readonly name: string;
  readonly user_id: number;
  readonly username: string;
  readonly status: SecretStatus;
  /** When the key was deleted; null unless it was. */
  readonly revoked_at: string | null;
}

/**
 * Numbers of hashes of one statement; a shorter list is filled up. There are few, so that few statements are compiled.
 */
const lengths = [1, 50, 500, 1_000] as const;

/** Hashes of one call at most. */
export const maxSoughtSecrets = 1_000;

type Sought = { readonly hashes: readonly string[]; readonly now: string };

/** Statements by dialect, as the names of the tables are its own, and by length. */
const lookUps = new Map<Dialect, Map<number, Statement<Sought>>>();

const lookUp = (dialect: Dialect, length: number): Statement<Sought> => {
  const ofDialect = lookUps.get(dialect) ?? new Map<number, Statement<Sought>>();
  lookUps.set(dialect, ofDialect);
  const known = ofDialect.get(length);
  if (known !== undefined) return known;
  const made = statement<Sought>(dialect, (value) => {
    const hashes = join(Array.from({ length }, (_, index) => storedFormsOf(param('hashes', index))));
    const now = dialect.cast(value('now'), 'timestamp');
    const none = dialect.cast(sql`null`, 'text');
    const revokedAt = timeText(dialect, sql`r.revoked_at`);
    return sql`select k.key_hash, k.id, k.name, k.user_id, u.username,
          case when k.expires_at <= ${now} then 'expired' else 'active' end as status, ${none} as revoked_at
        from ${own('api_keys')} k join ${own('users')} u on u.id = k.user_id where k.key_hash in (${hashes})
      union all select f.key_hash, k.id, k.name, k.user_id, u.username,
          case when k.expires_at <= ${now} then 'expired' when f.ends_at <= ${now} then 'replaced' else 'active' end, ${none}
        from ${own('gatewright_former_secrets')} f join ${own('api_keys')} k on k.id = f.key_id join ${own('users')} u on u.id = k.user_id
        where f.key_hash in (${hashes})
      union all select r.key_hash, r.key_id, r.name, r.user_id, r.username, 'revoked', ${revokedAt}
        from ${own('gatewright_revoked_keys')} r where r.key_hash in (${hashes})
      union all select f.key_hash, r.key_id, r.name, r.user_id, r.username, 'revoked', ${revokedAt}
        from ${own('gatewright_former_secrets')} f join ${own('gatewright_revoked_keys')} r on r.key_id = f.key_id
        where f.key_hash in (${hashes})`;
  });
  ofDialect.set(length, made);
  return made;
};

/** Finds the secrets with these hashes, at most `maxSoughtSecrets`: present, replaced and revoked ones. */
export const findSecrets = async (
  reader: Pick<Reader, 'all'>,
  dialect: Dialect,
  hashes: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, KnownSecret>> => {
  const [first] = hashes;
  if (first === undefined) return new Map();
  const length = lengths.find((each) => each >= hashes.length) ?? maxSoughtSecrets;
  const filled = [...hashes, ...Array.from({ length: length - hashes.length }, () => first)];
  const query = lookUp(dialect, length)({ hashes: filled, now: toTimestamp(now) });
  const rows = await reader.all<KnownSecret>(query);
  return new Map(rows.map((row) => [plainHash(row.key_hash), row]));
};

/** Hex digits of a hash that fit exactly into a number. */
const digits = 12;

const numberOf = (hash: string): number => Number.parseInt(hash.slice(0, digits), 16);

/** Returns a test in memory that no known secret fails, and hardly any other; for millions of hashes. */
export const secretFilter = async (
  reader: Pick<Reader, 'all'>,
  dialect: Dialect,
): Promise<(hash: string) => boolean> => {
  const beginnings = ['api_keys', 'gatewright_former_secrets', 'gatewright_revoked_keys'].map(
    (table) =>
      sql`select substr(${plainHashIn(identifier('key_hash'))}, 1, ${literal(digits)}) as beginning from ${tableName(table)}`,
  );
  const query = statement(dialect, () => join(beginnings, ' union all '))({});
  const rows = await reader.all<{ beginning: string }>(query);
  const known = new Set(rows.map(({ beginning }) => numberOf(beginning)));
  return (hash) => known.has(numberOf(hash));
};
