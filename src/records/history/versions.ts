/** Reads the versions of a record as one caller may see them. */

import type { Database, SqlValue } from '../../database/database.ts';
import { timeText } from '../../database/source.ts';
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
import { type ResourceModel, setByServer } from '../../model/resource.ts';
import type { FieldMask, Grant } from '../../policy/grant.ts';
import { hiddenFields, maskFlagNames, maskFlags, showsFields } from '../masked-source.ts';
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

/**
 * Reads the versions of a record that a caller may see. The grant's conditions are checked on the values of each side
 * of a version: a side that does not meet them is null. A version without any visible side is left out. So is an update
 * that changed no readable field, unless the caller reads every field. Conditions on fields are checked in the same
 * way: a field that only one side shows counts as changed.
 */
export const createVersionReader = (database: Database, model: ResourceModel, models: Models) => {
  const { dialect } = database;
  const source = resourceSource(model, models);
  /** Compiled statements, by the readable fields, the conditions on them, and the columns of the row filter. */
  const statements = new BoundedCache<{
    readonly page: Statement<VersionArguments>;
    readonly count: Statement<VersionArguments>;
  }>(64);

  /** The versions of the record, with a flag for each visible side. */
  const marked = (
    { terms }: RowReach,
    mask: FieldMask | undefined,
    param: Argument<VersionArguments>,
  ): Fragment => {
    const met = (side: Side): Fragment => {
      const column = wholeColumn(source, dialect, identifier(historyName, side));
      const conditions = reachConditions(terms, column, (at) => param('rows', at), 'hold', dialect);
      const holds = conditions.length === 0 ? sql`1 = 1` : join(conditions, ' and ');
      return sql`case when ${holds} then 1 else 0 end as ${identifier(`${side}_seen`)}`;
    };
    const flags = sides.flatMap((side) => {
      const column = wholeColumn(source, dialect, identifier(historyName, side));
      return [met(side), ...maskFlags(mask, side, (set) => showsFields(set, column, dialect))];
    });
    return sql`(select ${identifier(historyName)}.*, ${join(flags)} from ${identifier(historyName)}
      where model = ${param('model')} and record_id = ${param('record')}) as ${identifier(version)}`;
  };

  const listed = ({ readable, mask }: Pick<Grant, 'readable' | 'mask'>): Fragment => {
    const [before, after] = sides.map((side) => identifier(version, side));
    const isAnySeen = sql`(${seen('before')} = 1 or ${seen('after')} = 1)`;
    if (mask === undefined && [...model.fields.keys()].every((field) => readable.includes(field)))
      return isAnySeen;
    const shown = readable.filter((field) => !setByServer.has(field));
    const agree = (fields: readonly string[]): Fragment =>
      dialect.agree(before ?? sql``, after ?? sql``, fields);
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
    const isSame = join([agree(plain), ...same], ' and ');
    // An erased version has neither side any more, but is still listed.
    const isWhole = sql`action = 'update' and before is not null and after is not null`;
    return sql`${isAnySeen}
      and not (${isWhole} and ${seen('before')} = 1 and ${seen('after')} = 1 and ${isSame})`;
  };

  const compile = (reach: RowReach, grant: Pick<Grant, 'readable' | 'mask'>) => {
    const { mask } = grant;
    const text = (side: Side): Fragment =>
      sql`case when ${seen(side)} = 1 then cast(${identifier(version, side)} as text) end as ${identifier(side)}`;
    const shown = join([
      ...['version', 'action', ...actorColumns].map((each) => identifier(version, each)),
      sql`${timeText(dialect, identifier(version, 'at'))} as at`,
      ...sides.map(text),
      ...sides.flatMap((side) => maskFlagNames(mask, side).map((name) => identifier(version, name))),
    ]);
    const page = statement<VersionArguments>(
      dialect,
      (param) => sql`select ${shown} from ${marked(reach, mask, param)} where ${listed(grant)}
        order by ${identifier(version, 'id')} desc
        limit ${dialect.rows(param('limit'))} offset ${dialect.rows(param('offset'))}`,
    );
    const count = statement<VersionArguments>(
      dialect,
      (param) => sql`select count(*) as total from ${marked(reach, mask, param)} where ${listed(grant)}`,
    );
    return { page, count };
  };

  /** Returns the visible versions of a record, newest first. The caller must reach the record. */
  return async (grant: Grant, record: number, limit: number, offset: number): Promise<ShownVersions> => {
    const reach = reachOf(grant);
    if (reach === undefined) return { versions: [], total: 0 };
    const { mask } = grant;
    const key = JSON.stringify([reach.key, grant.readable, mask?.key ?? null]);
    const { page, count } = statements.getOrMake(key, () => compile(reach, grant));
    const values = { model: model.name, record, rows: reach.values, ...readerOf(grant), limit, offset };
    const [rows, counted] = await Promise.all([
      database.all<VersionRow>(page(values)),
      database.get<{ total: number }>(count(values)),
    ]);
    const versions = rows.map((row) => ({
      ...keptVersion(row),
      hidden: { before: hiddenFields(mask, 'before', row), after: hiddenFields(mask, 'after', row) },
    }));
    return { versions, total: Number(counted?.total ?? 0) };
  };
};

export type VersionReader = ReturnType<typeof createVersionReader>;
