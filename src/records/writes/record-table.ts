/** The table of a model as its writes use it: compiled statements, conditions, and the columns that a write returns. */

import type { Database, Query, Transaction } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type Source, versionColumn } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  type Statement,
  sql,
  statement,
} from '../../database/statement.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import { type CompanionInsert, withCompanions } from '../companion-inserts.ts';
import { keptReach } from '../history/recorded.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { projection, resourceSource, SourceViews, seenSource } from '../view.ts';
import { WriteConditions } from './write-conditions.ts';
import type { WriteArguments } from './write-reach.ts';

/** JSON text of every field of a record, for hooks, history and events; undefined if the model has none of these. */
export interface WithWhole {
  readonly whole?: string | undefined;
}

/** A written record: its id, its version, and the JSON text of the response. */
export interface SavedRecord extends WithWhole {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** Values that decide who may read the event of a deletion (`keptReach`); undefined if the model has no events. */
export interface WithReach {
  readonly reach?: string | undefined;
}

export class RecordTable {
  readonly database: Database;
  readonly dialect: Dialect;
  readonly model: ResourceModel;
  readonly source: Source;
  readonly views: SourceViews;
  readonly conditions: WriteConditions;
  /** The name of the table in SQL. */
  readonly name: Fragment;
  readonly version: Fragment;
  /** JSON text of every field, as the column `whole`. */
  readonly everyField: Fragment;
  /** Whether writes return every field, for hooks, history or events. */
  readonly needsWhole: boolean;
  /** Values of a deleted row that decide who may read the event, as the column `reach`; empty without events. */
  readonly keptReach: readonly Fragment[];
  /** Compiled statements, by everything that their SQL depends on. */
  readonly #statements = new BoundedCache<Statement<WriteArguments>>(512);

  constructor(database: Database, model: ResourceModel, models: Models) {
    const { dialect } = database;
    this.database = database;
    this.dialect = dialect;
    this.model = model;
    this.source = resourceSource(model, models);
    this.views = new SourceViews(this.source);
    this.conditions = new WriteConditions(this.source, model.table, dialect);
    this.name = identifier(model.table);
    this.version = identifier(model.table, versionColumn);
    this.everyField = sql`${projection(this.source, [...model.fields.keys()], dialect, model.table)} as whole`;
    const { afterCommit, beforeCommit } = model.hooks;
    const hasHooks = afterCommit !== undefined || beforeCommit !== undefined;
    this.needsWhole = hasHooks || model.history || model.events;
    this.keptReach = model.events ? [sql`${keptReach(model, models, dialect)} as reach`] : [];
  }

  /** A column in SQL. */
  readonly column: ColumnSql = (of) => identifier(this.model.table, of);

  /** The statement of this key; `build` makes the SQL once, from nothing that the key does not name. */
  compiled(key: string, build: (param: Argument<WriteArguments>) => Fragment): Statement<WriteArguments> {
    return this.#statements.getOrMake(key, () => statement<WriteArguments>(this.dialect, build));
  }

  /** The RETURNING clause. SQLite accepts only the name of the table there, no alias. */
  returning(columns: readonly Fragment[]): Fragment {
    return sql` returning ${join(this.needsWhole ? [...columns, this.everyField] : columns)}`;
  }

  /** The RETURNING clause of a saved record, as the caller may read it. */
  returningSaved(grant: Grant): Fragment {
    const seen = seenSource(this.source, grant.mask);
    const columns = [
      sql`${this.column('id')} as id`,
      sql`${this.version} as version`,
      sql`${projection(seen, grant.readable, this.dialect, this.model.table)} as json`,
    ];
    return this.#readsAll(grant) ? sql` returning ${join(columns)}` : this.returning(columns);
  }

  /** The statement with its companion inserts. */
  withCompanions(
    grant: Grant,
    write: Fragment,
    companions: readonly CompanionInsert[],
    param: Argument<WriteArguments>,
  ): Fragment {
    const whole = this.#readsAll(grant) ? 'json' : 'whole';
    return withCompanions(this.dialect, write, whole, companions, (index) => param('companions', index));
  }

  /** A saved record from the row that its statement returned. */
  toSaved(row: SavedRecord, grant: Grant): SavedRecord {
    return {
      id: Number(row.id),
      version: Number(row.version),
      json: row.json,
      whole: this.needsWhole && this.#readsAll(grant) ? row.json : row.whole,
    };
  }

  /** @param order the id of the record; 0 for a new one */
  write<Row>(query: Query, within: Transaction | undefined, order: number): Promise<Row[]> {
    return within === undefined ? this.database.execute<Row>({ ...query, order }) : within.all<Row>(query);
  }

  /** Whether the response has every field: then its text serves hooks, history and events as well. */
  #readsAll({ readable, mask }: Grant): boolean {
    return readable.length === this.model.fields.size && mask === undefined;
  }
}
