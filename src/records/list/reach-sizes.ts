import { columnOf, rowAlias, storedValue } from '../../database/column.ts';
import type { Database, ListReader, SqlValue } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import type { Source } from '../../database/source.ts';
import {
  identifier,
  join,
  literal,
  type Statement,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isFoundByIndex, type RowReach, reachParts } from '../rows/reach.ts';
import { isFresh, smallTable } from './size-estimate.ts';

interface CountedReach {
  readonly rows: number;
  readonly at: number;
}

type ReachArguments = { readonly rows: readonly SqlValue[] };

const keyOf = ({ key, values }: RowReach): string => `${key}\n${JSON.stringify(values)}`;

/**
 * Roughly how many rows are within the reach of a caller by a rule, up to `smallTable` in each part of it and at most a
 * second old. Where these are few, whatever is asked of them is little work, however large the table is.
 */
export class ReachSizes {
  readonly #database: Database;
  readonly #source: Source;
  readonly #clock: Clock;
  /** By the conditions of the row filter; the source is fixed and values are bound. */
  readonly #counts = new BoundedCache<Statement<ReachArguments>>(200);
  /** By the conditions and values of the row filter; an entry is true for one second. */
  readonly #sizes = new BoundedCache<CountedReach>(1_000);

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#source = source;
    this.#clock = clock;
  }

  /** Whether the rows are few, where that is known without asking the database. */
  knownFew(reach: RowReach): boolean | undefined {
    if (!isFoundByIndex(reach.terms)) return false;
    const known = this.#sizes.get(keyOf(reach));
    if (known === undefined || !isFresh(known.at, this.#clock())) return undefined;
    return known.rows <= smallTable;
  }

  /** Whether the rows are few. Only what indexes find is counted: anything else is taken for many. */
  async areFew(reach: RowReach, from: ListReader = this.#database): Promise<boolean> {
    const known = this.knownFew(reach);
    if (known !== undefined) return known;
    const at = this.#clock();
    const count = this.#counts.getOrMake(reach.key, () => this.#compile(reach));
    const row = await from.get<{ rows: number }>(count({ rows: reach.values }));
    const rows = Number(row?.rows ?? 0);
    this.#sizes.set(keyOf(reach), { rows, at });
    return rows <= smallTable;
  }

  #compile({ terms }: RowReach): Statement<ReachArguments> {
    const dialect = dialectOf(this.#database);
    return statement<ReachArguments>(dialect, (param) => {
      const column = (of: string) => storedValue(columnOf(this.#source, of), dialect);
      const parts = reachParts(terms, column, (index) => param('rows', index), dialect) ?? [];
      const from = sql` from ${this.#source.from(dialect)} as ${identifier(rowAlias)}`;
      const counts = parts.map((part) => {
        const rows = sql`select 1${from}${where(part)} limit ${literal(smallTable + 1)}`;
        return sql`(select count(*) from (${rows}) as counted)`;
      });
      return sql`select ${join(counts, ' + ')} as rows`;
    });
  }
}
