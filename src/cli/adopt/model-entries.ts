/** The definition of a model as entries of its file, and remarks on what no model can say. */

import type { DescribedSchema } from '../../database/described-tables.ts';
import type { FieldDefinition } from '../../fields/field.ts';
import { type Entry, textCode } from '../scaffold/code.ts';
import { fieldCode } from '../scaffold/field-code.ts';
import type { AdoptedModel, ColumnOutcome } from './adopted-model.ts';
import { saysCondition } from './column-field.ts';
import { nameField, plainName } from './names.ts';
import { columnNamed, type Draft, isNamed, referredKey } from './table-draft.ts';

/** A field that refers to another model of this run. */
export interface DraftReference {
  readonly from: Draft;
  readonly field: string;
  readonly to: Draft;
}

export interface Drawn {
  readonly draft: Draft;
  readonly columns: readonly ColumnOutcome[];
  /** Columns that models have by themselves: `id`, `created_at`, `updated_at`, `version`. */
  readonly own: ReadonlyMap<string, string>;
  readonly references: readonly Omit<DraftReference, 'from'>[];
  readonly remarks: string[];
}

/** Why callers only read the records; empty where they can write them. */
const readOnlyReasons = ({ draft, columns, own }: Drawn): readonly string[] => {
  const { table, key } = draft;
  const reasons: string[] = [];
  if (table.kind !== 'table') reasons.push(`it is a ${table.kind}`);
  const id = 'column' in key ? columnNamed(table, key.column) : undefined;
  const isGiven = id?.provision !== undefined && id.provision.by !== 'constant';
  if (table.kind === 'table' && (key.kind === 'integer' || key.kind === 'bigint') && !isGiven)
    reasons.push('the database gives no ids');
  const rights = (['insert', 'update', 'delete'] as const).filter((right) => table.rights.includes(right));
  if (table.kind === 'table' && rights.length === 0) reasons.push('this database user may not write it');
  else if (table.kind === 'table' && rights.length < 3) {
    const missing = (['insert', 'update', 'delete'] as const).filter(
      (right) => !table.rights.includes(right),
    );
    reasons.push(`this database user may not ${missing.join(', ')}`);
  }
  for (const { column, field } of columns) {
    const { notNull = false, provision } = columnNamed(table, column) ?? {};
    const isOwn = [...own.values()].includes(column);
    if (field === undefined && !isOwn && notNull && provision === undefined)
      reasons.push(`a new row needs ${column}, which was left out`);
  }
  return reasons;
};

/** Bytes of a set of fields in an index, of which the service allows so many. */
const mostIndexBytes = 2_600;

const indexBytes = ({ type, options }: FieldDefinition): number => type.indexBytes?.(options) ?? 16;

/** The unique sets of several columns by their fields. A set that no model says becomes a remark. */
const uniqueSets = ({ draft, columns, remarks }: Drawn): readonly (readonly string[])[] => {
  const sets: string[][] = [];
  const byColumn = new Map(columns.map((each) => [each.column, each]));
  for (const { name, columns: named, because } of draft.table.unique) {
    const fields = named.flatMap((column) => byColumn.get(column) ?? []);
    const names = fields.flatMap(({ field, definition }) => (definition === undefined ? [] : (field ?? [])));
    const bytes = fields.reduce((sum, { definition }) => sum + (definition ? indexBytes(definition) : 0), 0);
    const key = 'column' in draft.key ? [draft.key.column] : 'columns' in draft.key ? draft.key.columns : [];
    const isKey = named.length === key.length && named.every((column) => key.includes(column));
    const text = named.length === 0 ? `unique ${name}` : `unique ${name} (${named.join(', ')})`;
    const isSame = sets.some((set) => set.toSorted().join() === names.toSorted().join());
    if (because !== undefined) remarks.push(`${text}: ${because}; the database watches over it`);
    else if (named.length === 1 || isKey || isSame) continue;
    else if (names.length < named.length) remarks.push(`${text}: not all of its columns are fields`);
    else if (bytes > mostIndexBytes) remarks.push(`${text}: its texts may be longer than an index takes`);
    else sets.push(names);
  }
  return sets;
};

/** Conditions that no field says. */
const leftConditions = ({ draft, columns }: Drawn): string[] =>
  draft.conditions.flatMap(([sql, read]) => {
    const isSaid = read?.every((condition) =>
      columns.some(
        ({ column, definition }) =>
          isNamed(column, condition.column) &&
          definition !== undefined &&
          saysCondition(definition, condition),
      ),
    );
    return isSaid === true ? [] : [`check (${sql}): the database watches over it`];
  });

const tableRemarks = (drawn: Drawn, readOnly: readonly string[]): string[] => {
  const { table } = drawn.draft;
  const remarks = [...readOnly.map((reason) => `read-only: ${reason}`), ...drawn.remarks];
  const { model, wanted } = drawn.draft.names;
  if (model !== wanted) remarks.unshift(`its model is not called ${wanted}: the name or its plural is taken`);
  if (table.rowSecurity === 'exempt')
    remarks.push(
      'row security is on, and this database user is exempt from it: the rules of the model decide',
    );
  if (table.inherits !== undefined) remarks.push(`it inherits the columns of ${table.inherits}`);
  if (table.key.length === 0 && table.kind === 'table')
    remarks.push('it has no primary key: a unique set without nulls names its rows');
  else if (table.key.length === 0 && 'column' in drawn.draft.key)
    remarks.push(`its ids are those of ${drawn.draft.key.column}: make sure that no two rows have the same`);
  return [...remarks, ...leftConditions(drawn)];
};

const namesCode = (names: readonly string[]): Entry['value'] => ({ list: names.map(textCode) });

const entryIf = (isThere: boolean, key: string, value: Entry['value']): Entry[] =>
  isThere ? [{ key, value }] : [];

const keyEntry = ({ draft: { key }, columns }: Drawn): Entry[] => {
  if ('columns' in key) {
    const fieldOf = (name: string) => columns.find(({ column }) => column === name)?.field ?? name;
    return [{ key: 'key', value: namesCode(key.columns.map(fieldOf)) }];
  }
  return key.kind === 'none' || key.kind === 'integer' ? [] : [{ key: 'key', value: textCode(key.kind) }];
};

const tableEntry = ({ draft, columns, own }: Drawn, schema: DescribedSchema, readOnly: boolean): Entry => {
  const { table } = draft;
  const renamed = [
    ...[...own].filter(([name, column]) => name !== 'id' || column !== 'id'),
    ...columns.flatMap(({ column, field, definition }): [string, string][] =>
      definition === undefined || field === undefined || field === column ? [] : [[field, column]],
    ),
  ].map(([key, column]): Entry => ({ key, value: textCode(column) }));
  const object: Entry[] = [{ key: 'name', value: textCode(table.name) }];
  if (table.schema !== undefined && !schema.current)
    object.push({ key: 'schema', value: textCode(table.schema) });
  if (renamed.length > 0) object.push({ key: 'columns', value: { object: renamed } });
  const types = columns.flatMap(({ column, field }): Entry[] => {
    const form = field === undefined ? undefined : columnNamed(table, column)?.form;
    return field === undefined || form === undefined ? [] : [{ key: field, value: textCode(form) }];
  });
  object.push(...entryIf(types.length > 0, 'types', { object: types }));
  object.push({ key: 'external', value: 'true' }, ...entryIf(readOnly, 'readOnly', 'true'));
  return { key: 'table', value: { object } };
};

/** A comment of the database as lines of a file, none of which ends the comment. */
const commentLines = (comment: string | undefined): string[] => {
  const line = (comment ?? '').replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  if (line === '') return [];
  return [line.length > 110 ? `${line.slice(0, 107)}…` : line];
};

const fieldsEntry = ({ draft, columns }: Drawn): Entry => ({
  key: 'fields',
  value: {
    open: true,
    object: columns.flatMap(({ column, field, definition }): Entry[] => {
      if (field === undefined || definition === undefined) return [];
      const entry = { key: field, value: fieldCode(definition) };
      const comment = commentLines(columnNamed(draft.table, column)?.comment);
      return [comment.length === 0 ? entry : { ...entry, comment }];
    }),
  },
});

/** The records that belong to one of this table, by the references of all tables. */
const relationsEntry = (drawn: Drawn, toIt: readonly DraftReference[]): Entry[] => {
  const taken = new Set(drawn.columns.flatMap(({ field }) => field ?? []));
  for (const { field, definition } of drawn.columns)
    if (field !== undefined && definition?.type.target !== undefined) taken.add(field.replace(/_id$/, ''));
  const entries = [...Map.groupBy(toIt, ({ from }) => from)].flatMap(([from, references]) =>
    relationsFrom(from, references, drawn.draft.names.singular, taken),
  );
  return entries.length === 0 ? [] : [{ key: 'relations', value: { open: true, object: entries } }];
};

/** The relations to one table, one for each of its references to the model of this name. */
const relationsFrom = (
  from: Draft,
  references: readonly DraftReference[],
  singular: string,
  taken: Set<string>,
): Entry[] => {
  // The reference that has the name of this model needs no addition to the name of the relation.
  const main = references.find(({ field }) => field === `${singular}_id`) ?? references[0];
  return references.map((reference): Entry => {
    const by = reference.field.replace(/_id$/, '');
    const several = from.names.plural;
    const name = nameField(reference === main ? several : plainName(`${by}_${several}`, 'of'), taken);
    const of: Entry['value'][] = [textCode(from.names.model)];
    if (references.length > 1) of.push({ object: [{ key: 'by', value: textCode(by) }] });
    return { key: name, value: { call: 'many', of } };
  });
};

/** The model of a table: its file, what became of its columns, and what a person should know. */
export const modelOf = (
  drawn: Drawn,
  toIt: readonly DraftReference[],
  schema: DescribedSchema,
): AdoptedModel => {
  const { draft, columns } = drawn;
  const { names, table } = draft;
  const readOnly = readOnlyReasons(drawn);
  const unique = uniqueSets(drawn);
  const said = Object.entries(names.said).map(([key, name]): Entry => ({ key, value: textCode(name) }));
  const entries: Entry[] = [
    tableEntry(drawn, schema, readOnly.length > 0),
    ...keyEntry(drawn),
    ...said,
    { key: 'permissions', value: textCode('all') },
    fieldsEntry(drawn),
    ...entryIf(unique.length > 0, 'unique', { list: unique.map(namesCode) }),
    ...relationsEntry(drawn, toIt),
  ];
  const { model, singular, plural } = names;
  const [comment, remarks] = [commentLines(table.comment), tableRemarks(drawn, readOnly)];
  return { table, model, singular, plural, key: referredKey(draft), entries, columns, comment, remarks };
};
