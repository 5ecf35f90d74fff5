/**
 * Tables of other programs as models name them: what a start demands of each, since no migration of the service
 * changes them.
 */

import type { Models } from '../../model/models.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import type { Dialect } from '../dialect.ts';
import type { Ask, ExternalColumn, ExternalTable, Introspection } from '../introspection.ts';

/** A reason why a model cannot be served from its table, in a sentence that names both. */
export interface ExternalFlaw {
  readonly kind: 'external_flaw';
  readonly model: ResourceModel;
  readonly sentence: string;
  /** True if requests would fail, false for a remark. */
  readonly breaks: boolean;
}

const actions = ['select', 'insert', 'update', 'delete'] as const;

const listed = (texts: readonly string[]): string => texts.join(', ');

/** Characters of the longest choice; without choices there is no end. */
const longestChoice = (options: ModelField['options']): number =>
  'choices' in options && Array.isArray(options.choices)
    ? Math.max(...options.choices.map((choice) => [...String(choice)].length))
    : Number.POSITIVE_INFINITY;

/** The reason why a column does not take what the service writes into it; undefined where it does. */
const writingFlaw = (model: ResourceModel, field: ModelField, column: ExternalColumn): string | undefined => {
  const { name, type, options, serverSet, required } = field;
  const isGiven = name !== 'id' || model.key.givenBy !== 'database';
  if (column.computed && isGiven && options.generated !== true)
    return 'is computed by the database: say generated: true';
  if (options.generated === true) return undefined;
  if (column.demanded && !isGiven) return 'gets no value from the database, and the service gives none';
  if (column.demanded && !required) return 'may not be null: say required: true';
  const { most } = column;
  if (most === undefined || serverSet || name === 'id' || field.reference !== undefined) return undefined;
  const { min = Number.NEGATIVE_INFINITY, max = longestChoice(options) } = type.bounds?.(options) ?? {};
  if (Number(max) > most) return `is ${column.type}: say max: ${most} or less`;
  if (type.column === 'number' && Number(min) < -most) return `is ${column.type}: say min: ${-most} or more`;
  const isTooLow = type.column === 'integer' && Number(min) < -most - 1;
  return isTooLow ? `is ${column.type}: say min: ${-most - 1} or more` : undefined;
};

/** The reason why the choices of a field are not the labels of an enum type; undefined where they are. */
const labelsFlaw = ({ options }: ModelField, labels: readonly string[]): string | undefined => {
  const choices = 'choices' in options && Array.isArray(options.choices) ? options.choices : undefined;
  if (choices === undefined) return 'is of an enum type: make the field one of the type enum';
  const added = labels.find((label) => !choices.includes(label));
  if (added !== undefined)
    return `has the label ${JSON.stringify(added)}: add it to the choices of the field`;
  const gone = choices.find((choice) => !labels.includes(String(choice)));
  return gone === undefined
    ? undefined
    : `has no label ${JSON.stringify(gone)}: remove it from the choices of the field`;
};

/** The reason why the form that a model names is not that of the column; undefined where it is. */
const formFlaw = (
  { stored }: ResourceModel,
  field: ModelField,
  column: ExternalColumn,
): string | undefined => {
  const given = stored.types?.get(field.name);
  const form = column.form?.kind === field.type.column ? column.form : undefined;
  if (given === undefined && (form === undefined || form.isOptional === true)) return undefined;
  if (form === undefined) return `is ${column.type}: leave it out of table.types`;
  if (given === undefined || !form.names.includes(given))
    return `is ${column.type}: say types: { ${field.name}: ${form.names.map((name) => `'${name}'`).join(' or ')} } in table`;
  if (field.name === 'id' && /(?:^|\.)citext$/.test(given))
    return 'takes capitals and small letters for the same: an id is compared exactly';
  return form.labels && labelsFlaw(field, form.labels);
};

/** The reason why a field has other digits of a second than its column; undefined where both have the same. */
const fractionFlaw = ({ type, options }: ModelField, column: ExternalColumn): string | undefined => {
  const declared = type.column === 'time' ? /^time(?:\((\d)\))?$/.exec(column.type) : null;
  const places = declared?.[1] ?? '6';
  const given = 'fraction' in options ? options.fraction : 0;
  return declared !== null && given !== Number(places)
    ? `is ${column.type}: say fraction: ${places}`
    : undefined;
};

/** The reason why a field cannot be served from its column, in words that name both. */
const fieldFlaw = (
  model: ResourceModel,
  field: ModelField,
  column: ExternalColumn | undefined,
  shape: Introspection,
): string | undefined => {
  const { table, stored } = model;
  if (column === undefined) return `the table ${table} has no column ${field.column}`;
  const { form } = column;
  if (form?.kind !== field.type.column && !shape.fits(column.type, field.type.column))
    return `the table ${table} has ${field.column} as ${column.type}, and a field of the type ${field.kind} needs ${shape.fitting(field.type.column)}`;
  const places = /^(?:numeric|decimal)\(\d+, ?(\d+)\)$/i.exec(column.type)?.[1];
  const scale = stored.scales?.get(field.name);
  if (scale !== undefined && places !== undefined && Number(places) !== scale)
    return `the column ${field.column} of ${table} is ${column.type}: say scale: ${places}`;
  const wrong = formFlaw(model, field, column) ?? fractionFlaw(field, column);
  if (wrong !== undefined) return `the column ${field.column} of ${table} ${wrong}`;
  const flaw = stored.readOnly === true ? undefined : writingFlaw(model, field, column);
  return flaw && `the column ${field.column} of ${table} ${flaw}`;
};

/** The fields with a column of their own: all but an id of several. */
const storedFields = ({ fields, stored }: ResourceModel): readonly ModelField[] =>
  [...fields.values()].filter(({ name }) => name !== 'id' || stored.key === undefined);

/** Columns of no field without which no row can be inserted. */
const demandedColumns = (
  model: ResourceModel,
  found: ExternalTable,
  key: (name: string) => string,
): readonly string[] => {
  const given = new Set(
    [...storedFields(model).map(({ column }) => column), model.stored.columns.get('version') ?? ''].map(key),
  );
  return [...found.columns.values()].flatMap(({ name, demanded }) =>
    demanded && !given.has(key(name)) ? name : [],
  );
};

/** True if a unique index has these columns, in whatever order. */
const isKey = (columns: readonly string[], { keys }: ExternalTable): boolean =>
  keys.some((key) => key.length === columns.length && columns.every((column) => key.includes(column)));

/** The reasons why a model cannot be served from the table that was found. */
const sentencesOf = (model: ResourceModel, found: ExternalTable, dialect: Dialect): readonly string[] => {
  const { name, table, stored, fields } = model;
  const { readOnly = false, columns } = stored;
  const shape = dialect.schema.introspection;
  if (dialect.names.isOwn(found)) return [`${name}: the table ${table} belongs to the service itself`];
  const needed = readOnly ? actions.slice(0, 1) : actions;
  const lacking = needed.filter((action) => !found.rights.includes(action));
  if (lacking.length > 0)
    return [`${name}: the database user ${found.user} may not ${listed(lacking)} on the table ${table}`];
  const sentences: string[] = [];
  if (found.isRestricted)
    sentences.push(
      `${name}: the table ${table} has row security, so that the service sees only a part of it`,
    );
  if (found.kind === 'view' && !readOnly)
    sentences.push(`${name}: ${table} is a view: say readOnly: true in table`);
  for (const field of storedFields(model)) {
    const flaw = fieldFlaw(model, field, found.columns.get(shape.columnKey(field.column)), shape);
    if (flaw !== undefined) sentences.push(`${name}.${field.name}: ${flaw}`);
  }
  if (!readOnly)
    for (const column of demandedColumns(model, found, shape.columnKey))
      sentences.push(`${name}: the column ${column} of ${table} demands a value, and no field has it`);
  const version = columns.get('version');
  if (version !== undefined && !found.columns.has(shape.columnKey(version)))
    sentences.push(`${name}: the table ${table} has no column ${version} for the version`);
  const key = (stored.key ?? [{ field: 'id' }]).map(({ field }) => fields.get(field)?.column ?? field);
  if (
    found.kind === 'table' &&
    !readOnly &&
    sentences.length === 0 &&
    !isKey(key.map(shape.columnKey), found)
  )
    sentences.push(
      `${name}: the table ${table} has no key over ${key.join(' and ')} alone: say readOnly: true in table, or make it unique`,
    );
  return sentences;
};

/** All reasons why models cannot be served from tables of other programs, and remarks about these. */
export const externalFlaws = async (
  ask: Ask,
  dialect: Dialect,
  models: Models,
): Promise<readonly ExternalFlaw[]> => {
  const flaws: ExternalFlaw[] = [];
  for (const model of models.values()) {
    if (model.stored.external !== true) continue;
    const add = (sentence: string, breaks = true): void => {
      flaws.push({ kind: 'external_flaw', model, sentence, breaks });
    };
    const found = await dialect.schema.introspection.external(ask, model.stored);
    if (found === undefined) {
      add(
        `${model.name}: the database has no table ${model.table}, which is external: no migration makes it`,
      );
      continue;
    }
    if (found.others.length > 0)
      add(
        `${model.name}: ${model.table} is the one in the schema ${found.schema}; there are others in ${listed(found.others)}: say schema in table`,
        false,
      );
    for (const sentence of sentencesOf(model, found, dialect)) add(sentence);
  }
  return flaws;
};
