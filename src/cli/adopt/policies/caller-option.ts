/** `--caller`: columns that have the id of a user in the other program, beside the user of the service. */

import type { DescribedSchema, DescribedTable } from '../../../database/described-tables.ts';
import { nearestHint } from '../../../kernel/options.ts';
import type { ResourceModel } from '../../../model/resource.ts';
import { UsageError } from '../../io.ts';
import { tableText } from '../adopted-model.ts';
import type { KnownModel } from '../map-tables.ts';
import type { CallerColumn } from './apply-policies.ts';
import type { KnownField, KnownFields } from './rule-code.ts';

export interface Callers {
  readonly columns: readonly CallerColumn[];
  readonly model: KnownFields | undefined;
  /** Columns that name the owner of a row, by the text of the table. */
  readonly owners: ReadonlyMap<string, string>;
}

export interface CallerSurroundings {
  readonly schema: DescribedSchema;
  readonly models: readonly ResourceModel[];
  /** Models of other tables, by the text of the table: that of users among them. */
  readonly others: ReadonlyMap<string, KnownModel>;
}

const fieldsOf = (model: ResourceModel): ReadonlyMap<string, KnownField> =>
  new Map(
    [...model.fields.values()].map(({ name, type, options, reference }): [string, KnownField] => [
      name,
      { name, definition: { type, options }, ids: name === 'id' ? model.name : reference },
    ]),
  );

/** A model of the application that says which user a caller is. @throws UsageError */
const callerModel = (model: ResourceModel, field: string, text: string): KnownFields => {
  const refuse = (because: string): never => {
    throw new UsageError(`--caller ${text}: ${because}`);
  };
  const { owner, rules, name } = model;
  const fields = fieldsOf(model);
  if (!fields.has(field)) refuse(`${name} has no field ${field}${nearestHint(field, fields.keys())}`);
  if (owner === undefined) return refuse(`${name} has no user_id: field.owner(), so it names no user`);
  const isUnique = model.unique.some((set) => set.length === 1 && set[0] === owner);
  if (!isUnique && !('unique' in (model.fields.get(owner)?.options ?? {})))
    refuse(`a user may have several records of ${name}: say field.owner({ unique: true })`);
  // The writers of these records decide whose rows a caller reaches.
  if (rules.permissions === 'none') refuse(`everyone may write ${name}: say permissions: 'writes' or 'all'`);
  return { model: name, fields, filled: new Set(), owner, caller: field };
};

/** The column of a table that refers to the users of the service. @throws UsageError */
const ownerColumn = (
  table: DescribedTable,
  column: string,
  { others }: CallerSurroundings,
  text: string,
): string => {
  const columns = table.references
    .filter(
      ({ table: { schema = table.schema, name } }) =>
        others.get(tableText({ schema, name }))?.model === 'User',
    )
    .flatMap(({ columns: [only, second] }) => (only === undefined || second !== undefined ? [] : [only]));
  const found = [column, 'user_id'].find((name) => columns.includes(name)) ?? columns[0];
  if (found === undefined)
    throw new UsageError(`--caller ${text}: no column of ${table.name} refers to users of the service`);
  if (columns.length > 1 && found !== column && found !== 'user_id')
    throw new UsageError(
      `--caller ${text}: several columns of ${table.name} refer to users: ${columns.join(', ')}`,
    );
  return found;
};

/** The columns and the model that an option names. @throws UsageError */
export const readCallers = (text: string | undefined, around: CallerSurroundings): Callers => {
  const columns: CallerColumn[] = [];
  const owners = new Map<string, string>();
  let found: KnownFields | undefined;
  for (const part of (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')) {
    const at = part.lastIndexOf('.');
    const [name, column] = [part.slice(0, Math.max(at, 0)), part.slice(at + 1)];
    const model = around.models.find((each) => each.name === name);
    const table = around.schema.tables.find((each) => each.name === name);
    if (model !== undefined) found = callerModel(model, column, part);
    else if (table === undefined || !table.columns.some((each) => each.name === column))
      throw new UsageError(
        `--caller ${part}: there is no such field of a model, and no such column of a table`,
      );
    else {
      owners.set(tableText(table), ownerColumn(table, column, around, part));
      columns.push({ table: tableText(table), column });
    }
  }
  return { columns, model: found, owners };
};
