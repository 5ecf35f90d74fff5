/** Reads the permissions of Hasura v2 from its metadata, exported as JSON. */

import type { DescribedSchema, DescribedTable, PlacedTable } from '../../../database/described-tables.ts';
import type { RowAction } from '../../../model/row-expression.ts';
import {
  alwaysMet,
  type Constant,
  eachOf,
  eitherOf,
  negated,
  type PolicyCondition,
  unknown,
} from './condition.ts';
import { isMap, type JsonMap, listAt, mapAt, textAt } from './json-source.ts';
import {
  type LeftPolicy,
  type ReaderContext,
  SourceError,
  type SourcePolicies,
  type SourceRule,
} from './source.ts';

/** The claim of the caller's id, beside those that the command line names. */
const userClaim = 'x-hasura-user-id';

const placedTable = (value: unknown, place: string): PlacedTable => {
  if (typeof value === 'string') return { schema: 'public', name: value };
  const { schema = 'public', name } = mapAt(value, place);
  return { schema: textAt(schema, `${place}.schema`), name: textAt(name, `${place}.name`) };
};

/** SQLite has no schemas. */
const isOf = (table: DescribedTable, schema: string | undefined): boolean =>
  table.schema === undefined || table.schema === schema;

/** One column and the column of another table that has its value. */
interface Relation {
  readonly column: string;
  readonly table: DescribedTable;
  readonly on: string;
}

/** Operators by their names, with and without the sign of older versions. */
const operatorOf = (name: string): string => name.replace(/^\$/, '_').replace(/^_ne$/, '_neq');

class TableReader {
  readonly #schema: DescribedSchema;
  readonly #entry: JsonMap;
  readonly #claims: ReadonlySet<string>;
  readonly #role: string;
  readonly table: DescribedTable;

  constructor(
    schema: DescribedSchema,
    table: DescribedTable,
    entry: JsonMap,
    {
      claims,
      role,
      find,
    }: { claims: ReadonlySet<string>; role: string; find: (table: DescribedTable) => JsonMap },
  ) {
    this.#schema = schema;
    this.#entry = entry;
    this.#claims = claims;
    this.#role = role;
    this.table = table;
    this.#find = find;
  }

  readonly #find: (table: DescribedTable) => JsonMap;

  #tableAt(value: unknown): DescribedTable | undefined {
    const { schema, name } = placedTable(value, 'table');
    return this.#schema.tables.find((table) => table.name === name && isOf(table, schema));
  }

  /** The relation of a name; a text where it is not one of two columns. */
  #relation(name: string): Relation | string | undefined {
    for (const kind of ['object_relationships', 'array_relationships'] as const) {
      const all = listAt(this.#entry[kind], kind).filter(isMap);
      const using = all.find((each) => each['name'] === name)?.['using'];
      if (isMap(using)) return this.#related(using, name);
    }
    return undefined;
  }

  #related(using: JsonMap, name: string): Relation | string {
    const manual = using['manual_configuration'];
    if (isMap(manual)) {
      const table = this.#tableAt(manual['remote_table']);
      const [pair, second] = Object.entries(mapAt(manual['column_mapping'], `${name}.column_mapping`));
      if (table === undefined) return `the relationship ${name} leads to no table of the schema`;
      if (pair === undefined || second !== undefined) return `the relationship ${name} is of several columns`;
      return { column: pair[0], table, on: textAt(pair[1], `${name}.column_mapping`) };
    }
    const key = using['foreign_key_constraint_on'];
    // A column of this table, or that of another one which refers to this.
    if (typeof key === 'string' || Array.isArray(key)) return this.#forward([key].flat(), name);
    const { table, column, columns = column } = mapAt(key, `${name}.foreign_key_constraint_on`);
    return this.#backward(this.#tableAt(table), [columns].flat(), name);
  }

  #forward([column, second]: readonly unknown[], name: string): Relation | string {
    const reference = this.table.references.find(
      ({ columns }) => columns.length === 1 && columns[0] === column && second === undefined,
    );
    const [on] = reference?.to ?? [];
    const table = reference && this.#tableAt(reference.table);
    return typeof column === 'string' && table !== undefined && on !== undefined
      ? { column, table, on }
      : `the relationship ${name} has no foreign key of one column`;
  }

  #backward(
    table: DescribedTable | undefined,
    [on, second]: readonly unknown[],
    name: string,
  ): Relation | string {
    const reference = table?.references.find(
      ({ columns, table: to }) =>
        columns.length === 1 &&
        columns[0] === on &&
        second === undefined &&
        to.name === this.table.name &&
        (to.schema ?? table.schema) === this.table.schema,
    );
    const [column] = reference?.to ?? [];
    return typeof on === 'string' && table !== undefined && column !== undefined
      ? { column, table, on }
      : `the relationship ${name} has no foreign key of one column`;
  }

  /** The rows that meet an expression. */
  condition(expression: unknown): PolicyCondition {
    if (!isMap(expression)) return unknown('an expression that is no object');
    return eachOf(Object.entries(expression).map(([name, value]) => this.#part(name, value)));
  }

  #part(name: string, value: unknown): PolicyCondition {
    switch (operatorOf(name)) {
      case '_and':
        return eachOf(listAt(value, name).map((each) => this.condition(each)));
      case '_or':
        return eitherOf(listAt(value, name).map((each) => this.condition(each)));
      case '_not':
        return this.#certain(negated(this.condition(value)));
      case '_exists':
        return unknown('_exists asks rows that have nothing to do with the record');
      default:
        return this.#named(name, value);
    }
  }

  #named(name: string, value: unknown): PolicyCondition {
    if (this.table.columns.some((column) => column.name === name)) return this.#column(name, value);
    const relation = this.#relation(name);
    if (relation === undefined) return unknown(`${name} is neither a column nor a relationship`);
    if (typeof relation === 'string') return unknown(relation);
    const { table, ...link } = relation;
    const next = new TableReader(this.#schema, table, this.#find(table), {
      claims: this.#claims,
      role: this.#role,
      find: this.#find,
    });
    return { kind: 'among', ...link, table, rule: next.condition(value) };
  }

  #column(column: string, value: unknown): PolicyCondition {
    if (!isMap(value)) return this.#compared(column, '_eq', value);
    return eachOf(
      Object.entries(value).map(([operator, operand]) =>
        this.#compared(column, operatorOf(operator), operand),
      ),
    );
  }

  #compared(column: string, operator: string, operand: unknown): PolicyCondition {
    switch (operator) {
      case '_eq':
        return this.#equals(column, operand);
      case '_neq':
        return this.#certain(negated(this.#equals(column, operand)));
      case '_in':
      case '_nin': {
        if (!Array.isArray(operand)) return unknown(`${column} is compared by ${operator} with no list`);
        const within = eitherOf(operand.map((each) => this.#equals(column, each)));
        return operator === '_in' ? within : this.#certain(negated(within));
      }
      case '_is_null':
        return typeof operand === 'boolean'
          ? { kind: 'null', column, not: !operand }
          : unknown(`${column} is compared by _is_null with no truth value`);
      default:
        return unknown(`${column} is compared by ${operator}`);
    }
  }

  #equals(column: string, operand: unknown): PolicyCondition {
    if (typeof operand === 'string' && /^x-hasura-/i.test(operand)) {
      const claim = operand.toLowerCase();
      if (claim === 'x-hasura-role') return { kind: 'value', column, values: [this.#role], not: false };
      return this.#claims.has(claim)
        ? { kind: 'caller', column }
        : unknown(`${column} is compared with ${operand}: conditions know the caller only`);
    }
    return ['string', 'number', 'boolean'].includes(typeof operand)
      ? { kind: 'value', column, values: [operand as Constant], not: false }
      : unknown(`${column} is compared with what is no single value`);
  }

  /** Hasura takes null for unequal to a value, unlike SQL: a negated comparison is read where there are no nulls. */
  #certain(condition: PolicyCondition): PolicyCondition {
    if ('rules' in condition)
      return { ...condition, rules: condition.rules.map((rule) => this.#certain(rule)) };
    if (condition.kind !== 'value' || !condition.not) return condition;
    const { column } = condition;
    return this.table.columns.find(({ name }) => name === column)?.notNull === true
      ? condition
      : unknown(`${column} may be null, and Hasura takes null for another value`);
  }
}

const columnsOf = (value: unknown, place: string): ReadonlySet<string> | undefined =>
  value === '*' ? undefined : new Set(listAt(value, place).map((each) => textAt(each, place)));

const kinds = {
  select_permissions: 'read',
  insert_permissions: 'create',
  update_permissions: 'update',
  delete_permissions: 'destroy',
} as const satisfies Readonly<Record<string, RowAction>>;

/** Why a permission is less than its rows and columns say. */
const closedReason = (
  permission: JsonMap,
  action: RowAction,
  owner: string | undefined,
): string | undefined => {
  if (permission['backend_only'] === true)
    return 'it is for requests with the secret of the administrator only';
  const roots = permission['query_root_fields'];
  if (
    action === 'read' &&
    Array.isArray(roots) &&
    !['select', 'select_by_pk'].every((name) => roots.includes(name))
  )
    return 'query_root_fields leaves out a way of reading';
  const presets = Object.keys(isMap(permission['set']) ? permission['set'] : {});
  const left = presets.filter((column) => column !== owner);
  return left.length === 0 ? undefined : `it sets ${left.join(', ')} by itself`;
};

interface Described {
  readonly schema: DescribedSchema;
  readonly claims: ReadonlySet<string>;
  readonly left: LeftPolicy[];
  readonly find: (table: DescribedTable) => JsonMap;
}

const ruleOf = (
  { schema, claims, left, find }: Described,
  [entry, table]: readonly [JsonMap, DescribedTable],
  action: RowAction,
  [given, place]: readonly [JsonMap, string],
): SourceRule => {
  const role = textAt(given['role'], `${place}.role`);
  const permission = mapAt(given['permission'], `${place}.permission`);
  const reader = new TableReader(schema, table, entry, { claims, role, find });
  const words = `the permission ${action} of the role ${role} on ${table.name}`;
  for (const name of ['limit', 'computed_fields'])
    if (
      action === 'read' &&
      permission[name] !== undefined &&
      permission[name] !== null &&
      [permission[name]].flat().length > 0
    )
      left.push({ place: words, because: `models have no ${name} of their own` });
  const set = isMap(permission['set']) ? permission['set'] : {};
  const owner = Object.keys(set).find((column) => claims.has(String(set[column]).toLowerCase()));
  const isOwned = action === 'create' && owner !== undefined;
  const closed = closedReason(permission, action, isOwned ? owner : undefined);
  const checked = permission['check'];
  const check = checked === undefined || checked === null ? undefined : reader.condition(checked);
  const after = isOwned ? eachOf([check ?? alwaysMet, { kind: 'caller', column: owner }]) : check;
  return {
    table,
    role,
    action,
    place: words,
    before: action === 'create' ? alwaysMet : reader.condition(permission['filter'] ?? {}),
    after: action === 'create' ? (after ?? alwaysMet) : after,
    columns: action === 'destroy' ? undefined : columnsOf(permission['columns'] ?? '*', `${place}.columns`),
    owner: isOwned ? owner : undefined,
    closed,
  };
};

/** The tables of the source that the database is. @throws SourceError */
const tablesIn = (content: unknown): readonly unknown[] => {
  const outer = mapAt(content, 'the file');
  const metadata = mapAt(outer['metadata'] ?? outer, 'metadata');
  const sources = listAt(metadata['sources'], 'sources');
  if (sources.length === 0) {
    if (!Array.isArray(metadata['tables'])) throw new SourceError('it has neither sources nor tables');
    return metadata['tables'];
  }
  const named = sources.map((source, at) => mapAt(source, `sources[${at}]`));
  const found = named.find(({ name }) => name === 'default') ?? (named.length === 1 ? named[0] : undefined);
  if (found === undefined) throw new SourceError('none of its sources is called default');
  return listAt(found['tables'], 'tables');
};

/** The permissions of exported metadata. @throws SourceError */
export const readHasura = (
  content: unknown,
  schema: DescribedSchema,
  reader: ReaderContext,
): SourcePolicies => {
  const left: LeftPolicy[] = [];
  const entries = new Map<DescribedTable, JsonMap>();
  for (const [at, each] of tablesIn(content).entries()) {
    const entry = mapAt(each, `tables[${at}]`);
    const { schema: of, name } = placedTable(entry['table'], `tables[${at}].table`);
    const table = schema.tables.find((found) => found.name === name && isOf(found, of));
    if (table !== undefined) entries.set(table, entry);
    else if (Object.keys(kinds).some((kind) => listAt(entry[kind], kind).length > 0))
      left.push({ place: `the permissions on ${of}.${name}`, because: 'the schema has no such table' });
  }
  const claims = new Set([...reader.claims, userClaim]);
  const described: Described = { schema, claims, left, find: (table) => entries.get(table) ?? {} };
  const rules = [...entries].flatMap(([table, entry]) =>
    Object.entries(kinds).flatMap(([kind, action]) =>
      listAt(entry[kind], `${table.name}.${kind}`).map((given, at) => {
        const place = `${table.name}.${kind}[${at}]`;
        return ruleOf(described, [entry, table], action, [mapAt(given, place), place]);
      }),
    ),
  );
  const outer = mapAt(content, 'the file');
  for (const each of listAt(
    mapAt(outer['metadata'] ?? outer, 'metadata')['inherited_roles'],
    'inherited_roles',
  ))
    left.push({
      place: `the inherited role ${String(mapAt(each, 'inherited_roles')['role_name'])}`,
      because: 'a user of the service has several roles instead',
    });
  return { name: 'hasura', rules, left, readsFirst: false };
};
