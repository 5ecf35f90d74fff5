import { sql as raw } from 'kysely';
import { toTimestamp } from '../../kernel/timestamp.ts';
import { dialectOf } from '../dialects/registry.ts';
import { toQuery } from '../statement.ts';
import type { TableContext } from './context.ts';
import { tablesOf } from './tables-of.ts';

/** Milliseconds before its end from which on a key needs attention. */
const soon = 30 * 24 * 3_600_000;

/** Keys that are named; more are only counted. */
const named = 5;

/** Keys that are counted at most: a person needs no exact figure beyond, and the count stays short. */
export const countedAtMost = 1000;

export interface KeyInNeed {
  readonly id: number;
  readonly name: string;
  readonly user_id: number;
  readonly username: string;
  readonly expires_at: string | null;
  readonly created_at: string;
}

export interface KeysInNeed {
  /** Up to `countedAtMost`. */
  readonly count: number;
  readonly keys: readonly KeyInNeed[];
}

export interface DisabledWebhooks {
  /** Up to `countedAtMost`. */
  readonly count: number;
  readonly webhooks: readonly {
    readonly id: number;
    readonly url: string;
    readonly reason: string;
    readonly disabled_at: string | null;
  }[];
}

/** What an administrator should look at; each question is bounded: by an index of its own, or by what there are few of. */
export const createAttention = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const time = (name: 'expires_at' | 'created_at') => {
    const value = raw`k.${raw.ref(name)}`;
    const text = dialectOf(database).columns.timestamp.render?.(value, 0) ?? value;
    return raw<string | null>`${text}`;
  };

  const keys = () =>
    db
      .selectFrom('api_keys as k')
      .innerJoin('users as u', 'u.id', 'k.user_id')
      .select(['k.id', 'k.name', 'k.user_id', 'u.username'])
      .select([time('expires_at').as('expires_at'), time('created_at').as('created_at')])
      .limit(named);

  const inNeed = async (
    list: ReturnType<typeof keys>,
    counted: ReturnType<typeof expiring | typeof unused>,
  ): Promise<KeysInNeed> => {
    const total = db
      .selectFrom(counted.limit(countedAtMost).as('c'))
      .select((eb) => eb.fn.countAll().as('count'));
    const [row, found] = await Promise.all([
      database.get<{ count: number }>(toQuery(total)),
      database.all<KeyInNeed>(toQuery(list)),
    ]);
    return { count: Number(row?.count ?? 0), keys: found };
  };

  const expiring = () =>
    db
      .selectFrom('api_keys')
      .select('id')
      .where('expires_at', '>', toTimestamp(clock()))
      .where('expires_at', '<=', toTimestamp(clock() + soon));

  const unused = () => db.selectFrom('api_keys').select('id').where('last_used_at', 'is', null);

  return {
    /** Keys that run out within 30 days, the next ones first. */
    expiringKeys: (): Promise<KeysInNeed> =>
      inNeed(
        keys()
          .where('k.expires_at', '>', toTimestamp(clock()))
          .where('k.expires_at', '<=', toTimestamp(clock() + soon))
          .orderBy('k.expires_at'),
        expiring(),
      ),
    /** Webhooks that were disabled because of what became of their messages, the last ones first. */
    disabledWebhooks: async (): Promise<DisabledWebhooks> => {
      const disabled = () =>
        db
          .selectFrom('gatewright_webhooks as w')
          .where('w.disabled', '=', true)
          .where('w.disabled_reason', '<>', 'by_hand');
      const at = raw`w.disabled_at`;
      const text = dialectOf(database).columns.timestamp.render?.(at, 0) ?? at;
      const listed = disabled()
        .select(['w.id', 'w.url', 'w.disabled_reason as reason'])
        .select(raw<string | null>`${text}`.as('disabled_at'))
        .orderBy('w.disabled_at', 'desc')
        .limit(named);
      const counted = db
        .selectFrom(disabled().select('w.id').limit(countedAtMost).as('c'))
        .select((eb) => eb.fn.countAll().as('count'));
      const [row, webhooks] = await Promise.all([
        database.get<{ count: number }>(toQuery(counted)),
        database.all<DisabledWebhooks['webhooks'][number]>(toQuery(listed)),
      ]);
      return { count: Number(row?.count ?? 0), webhooks };
    },
    /** Keys that nobody has ever used, the oldest first. */
    unusedKeys: (): Promise<KeysInNeed> =>
      inNeed(keys().where('k.last_used_at', 'is', null).orderBy('k.id'), unused()),
  };
};
