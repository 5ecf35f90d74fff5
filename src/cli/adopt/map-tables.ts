/** Models for described tables: a pure function of what the database has, and of the names that are taken. */

import type {
  DescribedColumn,
  DescribedReference,
  DescribedSchema,
  DescribedTable,
  PlacedTable,
} from '../../database/described-tables.ts';
import { type AdoptedModel, type ColumnOutcome, type ReferredKey, tableText } from './adopted-model.ts';
import { type ColumnField, fieldOfColumn, referenceOfColumn } from './column-field.ts';
import { type DraftReference, type Drawn, modelOf } from './model-entries.ts';
import { type ModelNames, nameField, nameModel, nameReference, plainName, type TakenNames } from './names.ts';
import {
  columnFlaw,
  conditionsOf,
  type Draft,
  factsOf,
  isNamed,
  keyOfTable,
  referredKey,
  writtenColumns,
} from './table-draft.ts';

/** A model to which references can lead. */
export interface KnownModel {
  readonly model: string;
  readonly key: ReferredKey;
}

export interface MapRequest {
  readonly schema: DescribedSchema;
  /** The tables that get a model, in the order of their names. */
  readonly tables: readonly DescribedTable[];
  /** Names of models from a former run, by the text of the table. */
  readonly formerNames: ReadonlyMap<string, ModelNames>;
  readonly taken: TakenNames;
  /** Models of other tables, by the text of the table. */
  readonly others: ReadonlyMap<string, KnownModel>;
  /** Columns that name the owner of a row, by the text of the table. */
  readonly owners?: ReadonlyMap<string, string>;
}

const draftOf = (table: DescribedTable, { formerNames, taken }: MapRequest): Draft => ({
  table,
  names: formerNames.get(tableText(table)) ?? nameModel(table, taken),
  key: keyOfTable(table),
  conditions: conditionsOf(table),
});

/** The model to which a key of one column leads. */
interface Lead {
  readonly reference: DescribedReference;
  readonly draft: Draft | undefined;
  readonly known: KnownModel;
}

const knownOf = (draft: Draft): KnownModel => ({ model: draft.names.model, key: referredKey(draft) });

/** Where the foreign keys of a table lead, or why they are no references. */
const leadsOf = (
  { table }: Draft,
  drafts: ReadonlyMap<string, Draft>,
  { others }: MapRequest,
): { readonly leads: ReadonlyMap<string, Lead>; readonly remarks: string[] } => {
  const leads = new Map<string, Lead>();
  const remarks: string[] = [];
  for (const reference of table.references) {
    const target: PlacedTable = {
      schema: reference.table.schema ?? table.schema,
      name: reference.table.name,
    };
    const name = tableText(target);
    const draft = drafts.get(name) ?? (table.schema === undefined ? caseless(drafts, name) : undefined);
    const known = draft === undefined ? others.get(name) : knownOf(draft);
    const [column = ''] = reference.columns;
    const text = `${reference.columns.join(', ')} → ${name}(${reference.to.join(', ')})`;
    if (reference.columns.length > 1) remarks.push(`key ${text}: references have one column`);
    else if (known === undefined) remarks.push(`key ${text}: the table has no model`);
    else if (known.key.kind === undefined)
      remarks.push(`key ${text}: the model ${known.model} has no id of one column`);
    else if (!isNamed(reference.to[0] ?? '', known.key.columns[0] ?? ''))
      remarks.push(`key ${text}: references lead to the id`);
    else if (leads.has(column)) remarks.push(`key ${text}: the column has a reference already`);
    else leads.set(column, { reference, draft, known });
  }
  return { leads, remarks };
};

/** SQLite finds a table whatever capitals its name has. */
const caseless = (drafts: ReadonlyMap<string, Draft>, name: string): Draft | undefined =>
  [...drafts].find(([each]) => isNamed(each, name))?.[1];

const provisionText = ({ provision }: DescribedColumn): string => {
  switch (provision?.by) {
    case 'constant':
      return ` default ${JSON.stringify(provision.text)}`;
    case 'count':
      return ' counted';
    case 'expression':
      return ` default ${provision.sql}`;
    case 'always':
      return ` generated ${provision.sql}`;
    default:
      return '';
  }
};

/** The type of a column and all that the database says of its values, in a line. */
const declaredText = (column: DescribedColumn): string =>
  `${column.declared}${column.notNull ? ' not null' : ''}${provisionText(column)}`;

/** The outcome of every column of a table: names first, as those of the service are its own. */
const draw = (draft: Draft, drafts: ReadonlyMap<string, Draft>, request: MapRequest): Drawn => {
  const { table } = draft;
  const own = writtenColumns(draft);
  const ownNames = new Map([...own].map(([name, column]) => [column, name]));
  const { leads, remarks } = leadsOf(draft, drafts, request);
  const owner = request.owners?.get(tableText(table));
  const taken = new Set(owner === undefined ? [] : ['user_id']);
  const references: Omit<DraftReference, 'from'>[] = [];
  const columns = table.columns.map((column): ColumnOutcome => {
    const of = { column: column.name, declared: declaredText(column) };
    const lead = leads.get(column.name);
    const name = ownNames.get(column.name);
    if (name !== undefined) {
      if (lead !== undefined)
        remarks.push(`key ${column.name} → ${lead.known.model}: the id is no reference`);
      const remark = name === 'id' ? `the key, ${draft.key.kind}` : 'the service writes it';
      return { ...of, field: name, definition: undefined, remarks: [remark] };
    }
    const made = fieldFor(draft, column, lead);
    if ('because' in made) return { ...of, field: undefined, definition: undefined, remarks: [made.because] };
    const plain = plainName(column.name, 'column');
    const named = lead === undefined ? nameField : nameReference;
    const field = column.name === owner ? 'user_id' : named(plain, taken);
    if (lead?.draft !== undefined) references.push({ field, to: lead.draft });
    const part = isPart(draft, column) ? ['a part of the key'] : [];
    return { ...of, field, definition: made.definition, remarks: [...part, ...made.remarks] };
  });
  return { draft, columns, own, references, remarks };
};

const isPart = ({ key }: Draft, { name }: DescribedColumn): boolean =>
  'columns' in key && key.columns.includes(name);

const fieldFor = (draft: Draft, column: DescribedColumn, lead: Lead | undefined): ColumnField => {
  const because = columnFlaw(draft, column);
  if (because !== undefined) return { because };
  const facts = factsOf(draft, column);
  if (lead === undefined) return fieldOfColumn(column, facts);
  const { known, reference } = lead;
  return referenceOfColumn(
    column,
    { model: known.model, key: known.key.kind ?? 'integer', onDelete: reference.onDelete },
    facts.unique,
  );
};

/** The models of tables, in their order. */
export const mapTables = (request: MapRequest): readonly AdoptedModel[] => {
  const drafts = new Map(
    request.tables.map((table): [string, Draft] => [tableText(table), draftOf(table, request)]),
  );
  const drawn = [...drafts.values()].map((draft) => draw(draft, drafts, request));
  const references = drawn.flatMap(({ draft, references }) =>
    references.map((reference): DraftReference => ({ from: draft, ...reference })),
  );
  const byTarget = Map.groupBy(references, ({ to }) => to);
  return drawn.map((each) => modelOf(each, byTarget.get(each.draft) ?? [], request.schema));
};
