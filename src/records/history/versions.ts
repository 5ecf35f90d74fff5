/** Reads the versions of a record as one caller may see them. */

import type { Database, SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { isAboutRecord, keyText, recordNumber } from '../../database/record-column.ts';
import { type Source, timeText } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  type Statement,
  sql,
  statement,
  tableName,
} from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import { isNumeric } from '../../fields/keys.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Models } from '../../model/models.ts';
import { type ResourceModel, setByServer } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import { hiddenFields, maskFlagNames, maskFlags, showsFields } from '../masked-source.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import { readerOf, resourceSource } from '../view.ts';
import { historyName, type KeptVersion, keptVersion, type VersionRow } from './history.ts';
import { actorColumns, wholeColumn } from './recorded.ts';

/** A version with the fields that the record, as it was on each side, hides from the caller. */
export interface ShownVersion extends KeptVersion {
  readonly hidden: Readonly<Record<Side, ReadonlySet<string>>>;
}

/** A page of the versions that a caller may see, and the number of all of these. */
interface ShownVersions {
  readonly versions: readonly ShownVersion[];
  readonly total: number;
}

type VersionArguments = {
  readonly model: string;
  readonly record: number;
  readonly keyText: string | null;
  readonly rows: readonly SqlValue[];
  readonly reader: SqlValue;
  readonly limit: number;
  readonly offset: number;
};

/** The sides of a version, each a column. */
const sides = ['before', 'after'] as const;
type Side = (typeof sides)[number];

const version = '_version';
const seen = (side: Side): Fragment => identifier(version, `${side}_seen`);

/** The grant's part that decides which versions and fields are seen. */
type Reads = Pick<Grant, 'readable' | 'mask'>;

interface VersionStatements {
  readonly page: Statement<VersionArguments>;
  readonly count: Statement<VersionArguments>;
}

/** Compiles the statements of one reach. */
class VersionCompiler {
  readonly #source: Source;
  readonly #dialect: Dialect;
  readonly #model: ResourceModel;
  readonly #reach: RowReach;
  readonly #reads: Reads;

  constructor(source: Source, dialect: Dialect, model: ResourceModel, reach: RowReach, reads: Reads) {
    this.#source = source;
    this.#dialect = dialect;
    this.#model = model;
    this.#reach = reach;
    this.#reads = reads;
  }

  compile(): VersionStatements {
    const dialect = this.#dialect;
    const shown = this.#shown();
    const listed = this.#listed();
    return {
      page: statement<VersionArguments>(
        dialect,
        (param) => sql`select ${shown} from ${this.#marked(param)} where ${listed}
        order by ${identifier(version, 'id')} desc
        limit ${dialect.rows(param('limit'))} offset ${dialect.rows(param('offset'))}`,
      ),
      count: statement<VersionArguments>(
        dialect,
        (param) => sql`select count(*) as total from ${this.#marked(param)} where ${listed}`,
      ),
    };
  }

  /** The selected columns; a side that the caller does not see is null. */
  #shown(): Fragment {
    const { mask } = this.#reads;
    const text = (side: Side): Fragment =>
      sql`case when ${seen(side)} = 1 then cast(${identifier(version, side)} as text) end as ${identifier(side)}`;
    return join([
      ...['version', 'action', ...actorColumns].map((each) => identifier(version, each)),
      sql`${timeText(this.#dialect, identifier(version, 'at'))} as at`,
      ...sides.map(text),
      ...sides.flatMap((side) => maskFlagNames(mask, side).map((name) => identifier(version, name))),
    ]);
  }

  /** The versions of the record, with a flag for each visible side. */
  #marked(param: Argument<VersionArguments>): Fragment {
    const flags = sides.flatMap((side) => {
      const column = wholeColumn(this.#source, this.#dialect, tableName(historyName, side));
      return [
        this.#met(side, column, param),
        ...maskFlags(this.#reads.mask, side, (set) => showsFields(set, column, this.#dialect)),
      ];
    });
    return sql`(select ${tableName(historyName)}.*, ${join(flags)} from ${tableName(historyName)}
      where model = ${param('model')} and ${isAboutRecord(param, !isNumeric(this.#model.key))}) as ${identifier(version)}`;
  }

  /** The flag of a side: 1 if its values meet the grant's conditions. */
  #met(side: Side, column: ColumnSql, param: Argument<VersionArguments>): Fragment {
    const { terms } = this.#reach;
    const conditions = reachConditions(terms, column, (at) => param('rows', at), 'hold', this.#dialect);
    const holds = conditions.length === 0 ? sql`1 = 1` : join(conditions, ' and ');
    return sql`case when ${holds} then 1 else 0 end as ${identifier(`${side}_seen`)}`;
  }

  #listed(): Fragment {
    const { readable, mask } = this.#reads;
    const isAnySeen = sql`(${seen('before')} = 1 or ${seen('after')} = 1)`;
    if (mask === undefined && [...this.#model.fields.keys()].every((field) => readable.includes(field)))
      return isAnySeen;
    // An erased version has neither side any more, but is still listed.
    const isWhole = sql`action = 'update' and before is not null and after is not null`;
    return sql`${isAnySeen}
      and not (${isWhole} and ${seen('before')} = 1 and ${seen('after')} = 1 and ${this.#isSame()})`;
  }

  /** The condition that both sides show the same values. */
  #isSame(): Fragment {
    const { readable, mask } = this.#reads;
    const [before, after] = sides.map((side) => identifier(version, side));
    const shown = readable.filter((field) => !setByServer.has(field));
    const agree = (fields: readonly string[]): Fragment =>
      this.#dialect.agree(before ?? sql``, after ?? sql``, fields);
    const sets = mask?.sets ?? [];
    const plain = shown.filter((field) => !sets.some(({ fields }) => fields.includes(field)));
    const [flagsBefore, flagsAfter] = sides.map((side) =>
      maskFlagNames(mask, side).map((name) => identifier(version, name)),
    );
    const same = sets.map(({ fields }, index) => {
      const [one, other] = [flagsBefore?.[index] ?? sql``, flagsAfter?.[index] ?? sql``];
      const read = shown.filter((field) => fields.includes(field));
      return read.length === 0 ? sql`1 = 1` : sql`(${one} = ${other} and (${one} = 0 or ${agree(read)}))`;
    });
    return join([agree(plain), ...same], ' and ');
  }
}

/**
 * Reads the versions of a record that a caller may see. The grant's conditions are checked on the values of each side
 * of a version: a side that does not meet them is null. A version without any visible side is left out. So is an update
 * that changed no readable field, unless the caller reads every field. Conditions on fields are checked in the same
 * way: a field that only one side shows counts as changed.
 */
export class VersionReader {
  readonly #database: Database;
  readonly #model: ResourceModel;
  readonly #source: Source;
  /** Compiled statements, by the readable fields, the conditions on them, and the columns of the row filter. */
  readonly #statements = new BoundedCache<VersionStatements>(64);

  constructor(database: Database, model: ResourceModel, models: Models) {
    this.#database = database;
    this.#model = model;
    this.#source = resourceSource(model, models);
  }

  /** Returns the visible versions of a record, newest first. The caller must reach the record. */
  async page(grant: Grant, record: RecordId, limit: number, offset: number): Promise<ShownVersions> {
    const reach = reachOf(grant);
    if (reach === undefined) return { versions: [], total: 0 };
    const { mask } = grant;
    const { page, count } = this.#statementsOf(reach, grant);
    const values = {
      model: this.#model.name,
      record: recordNumber(record),
      keyText: keyText(record),
      rows: reach.values,
      ...readerOf(grant),
      limit,
      offset,
    };
    const [rows, counted] = await Promise.all([
      this.#database.all<VersionRow>(page(values)),
      this.#database.get<{ total: number }>(count(values)),
    ]);
    const versions = rows.map((row) => ({
      ...keptVersion(row),
      hidden: { before: hiddenFields(mask, 'before', row), after: hiddenFields(mask, 'after', row) },
    }));
    return { versions, total: Number(counted?.total ?? 0) };
  }

  #statementsOf(reach: RowReach, grant: Grant): VersionStatements {
    const key = JSON.stringify([reach.key, grant.readable, grant.mask?.key ?? null]);
    const { dialect } = this.#database;
    return this.#statements.getOrMake(key, () =>
      new VersionCompiler(this.#source, dialect, this.#model, reach, grant).compile(),
    );
  }
}
