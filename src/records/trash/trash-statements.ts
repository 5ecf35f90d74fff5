/** The statements over the trash, each compiled once: those of a caller by model and reach, and those of a bundle. */

import type { SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type Source, timeText } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  literal,
  own,
  type Statement,
  sql,
  statement,
} from '../../database/statement.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { FieldMask, Grant } from '../../policy/grant.ts';
import { actorColumns, wholeColumn } from '../history/recorded.ts';
import { maskFlags, showsFields } from '../masked-source.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { type RowReach, reachConditions } from '../rows/reach.ts';
import { type TrashedRecord, trashColumns, trashTable } from './bundle.ts';

/** The model, and the values of a reach. */
type Reached = {
  readonly model: string;
  readonly rows: readonly SqlValue[];
  readonly reader: SqlValue;
};

type OneRecord = Reached & { readonly record: number };
type Page = Reached & { readonly limit: number; readonly offset: number };

/** The reads of a model's deleted records within a reach. */
interface ReachStatements {
  readonly page: Statement<Page>;
  readonly count: Statement<Reached>;
  /** The first record of a bundle, locked until the end of the transaction. */
  readonly locked: Statement<OneRecord>;
  readonly first: Statement<OneRecord>;
  /** A record that was deleted along with another one. */
  readonly along: Statement<OneRecord>;
}

const record = sql`cast(${identifier('record')} as text) as ${identifier('record')}`;
const kept = sql`${trashColumns(['model', 'record_id', 'version'])}, ${record}`;

type EntryKind = TrashedRecord['kind'] | 'reference';

const isOf = (kind: EntryKind): Fragment => sql`${identifier('kind')} = ${literal(kind)}`;

/** Compiles the reads of deleted records; the conditions of a reach are checked on their stored values. */
class ReachCompiler {
  readonly #dialect: Dialect;
  readonly #column: ColumnSql;
  readonly #reach: RowReach;
  /** The selected columns. */
  readonly #shown: Fragment;

  constructor(dialect: Dialect, source: Source, reach: RowReach, mask: FieldMask | undefined) {
    const column = wholeColumn(source, dialect, sql`${trashTable}.${identifier('record')}`);
    const time = timeText(dialect, identifier('deleted_at'));
    const shown = sql`${kept}, ${identifier('bundle')}, ${time} as deleted_at, ${trashColumns(actorColumns)}`;
    const flags = maskFlags(mask, 'record', (set) => showsFields(set, column, dialect));
    this.#dialect = dialect;
    this.#column = column;
    this.#reach = reach;
    this.#shown = join([shown, ...flags]);
  }

  compile(): ReachStatements {
    const dialect = this.#dialect;
    return {
      page: statement<Page>(
        dialect,
        (value) =>
          sql`select ${this.#shown} from ${trashTable} where ${this.#entry(value, 'first')} order by ${own('gatewright_trash')}.deleted_at desc, id desc limit ${dialect.rows(value('limit'))} offset ${dialect.rows(value('offset'))}`,
      ),
      count: statement<Reached>(
        dialect,
        (value) => sql`select count(*) as total from ${trashTable} where ${this.#entry(value, 'first')}`,
      ),
      locked: this.#one('first', dialect.updateLock),
      first: this.#one('first', sql``),
      along: this.#one('along', sql``),
    };
  }

  #one(kind: TrashedRecord['kind'], lock: Fragment): Statement<OneRecord> {
    return statement<OneRecord>(
      this.#dialect,
      (value) =>
        sql`select ${this.#shown} from ${trashTable} where record_id = ${value('record')} and ${this.#entry(value, kind)} order by id desc limit 1${lock}`,
    );
  }

  #entry(value: Argument<Reached>, kind: TrashedRecord['kind']): Fragment {
    const { terms } = this.#reach;
    const reached = reachConditions(
      terms,
      this.#column,
      (index) => value('rows', index),
      'hold',
      this.#dialect,
    );
    return join([sql`${identifier('model')} = ${value('model')}`, isOf(kind), ...reached], ' and ');
  }
}

/** Returns the reads of a model's deleted records within a grant, from a cache by model and reach. */
export const createReachStatements = (
  dialect: Dialect,
): ((source: Source, reach: RowReach, grant: Grant) => ReachStatements) => {
  const compiled = new BoundedCache<ReachStatements>(100);
  return (source, reach, { mask }) =>
    compiled.getOrMake(`${source.name} ${mask?.key} ${reach.key}`, () =>
      new ReachCompiler(dialect, source, reach, mask).compile(),
    );
};

type OfBundle = { readonly bundle: string };

/** The reads of a bundle, and its end. */
export const bundleStatements = (dialect: Dialect) => ({
  along: statement<OfBundle>(
    dialect,
    (value) =>
      sql`select ${kept} from ${trashTable} where bundle = ${value('bundle')} and kind = 'along' order by id`,
  ),
  references: statement<OfBundle>(
    dialect,
    (value) =>
      sql`select distinct model, field, target_id from ${trashTable} where bundle = ${value('bundle')} and kind = 'reference' order by model, field, target_id`,
  ),
  clear: statement<OfBundle>(
    dialect,
    (value) => sql`delete from ${trashTable} where bundle = ${value('bundle')}`,
  ),
});

type PurgeStep = { readonly before: string; readonly limit: number };

/** The statements that remove old entries, in the order in which they run. */
export const purgeStatements = (dialect: Dialect): readonly Statement<PurgeStep>[] => {
  const purgeOf = (kind: EntryKind) =>
    statement<PurgeStep>(dialect, (value) => {
      const old = sql`old.kind = ${literal(kind)} and old.deleted_at < ${value('before')}`;
      // A bundle that is being restored must stay complete until that is committed.
      const lone = sql`not exists (select 1 from ${trashTable} as lead where lead.bundle = old.bundle and lead.kind = 'first')`;
      const found = kind === 'first' ? old : sql`${old} and ${lone}`;
      const ids = sql`select old.id from ${trashTable} as old where ${found} order by old.deleted_at limit ${dialect.rows(value('limit'))}`;
      return sql`delete from ${trashTable} where id in (${ids})`;
    });
  // First records go first, so that no bundle can be restored in part.
  return [purgeOf('first'), purgeOf('along'), purgeOf('reference')];
};

type OfRecord = { readonly model: string; readonly record: number };

/** The statements that erase a record. */
export const erasureStatements = (dialect: Dialect) => {
  const ofRecord = (value: Argument<OfRecord>): Fragment =>
    sql`model = ${value('model')} and record_id = ${value('record')}`;
  return {
    references: statement<OfRecord>(
      dialect,
      (value) => sql`delete from ${trashTable} where ${ofRecord(value)} and kind = 'reference'`,
    ),
    // The actor of the deletion is erased with the record, as its entry is gone.
    first: statement<OfRecord>(
      dialect,
      (value) =>
        sql`delete from ${trashTable} where bundle in (select bundle from ${trashTable} where ${ofRecord(value)} and ${isOf('first')})`,
    ),
    along: statement<OfRecord>(
      dialect,
      (value) =>
        sql`update ${trashTable} set record = null where ${ofRecord(value)} and kind = 'along' and record is not null`,
    ),
  };
};
