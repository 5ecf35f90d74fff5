/** Reads the permissions of the entities of Data API builder from its configuration, `dab-config.json`. */

import type { DescribedSchema, DescribedTable } from '../../../database/described-tables.ts';
import type { RowAction } from '../../../model/row-expression.ts';
import { alwaysMet, type PolicyCondition } from './condition.ts';
import { isMap, type JsonMap, listAt, mapAt, textAt } from './json-source.ts';
import { odataCondition } from './odata.ts';
import {
  type LeftPolicy,
  type ReaderContext,
  SourceError,
  type SourcePolicies,
  type SourceRule,
} from './source.ts';

/** Claims that name the user of a token, beside those that the command line names. */
const userClaims = ['sub', 'oid', 'userid'];

const actions: ReadonlyMap<string, readonly RowAction[]> = new Map([
  ['create', ['create']],
  ['read', ['read']],
  ['update', ['update']],
  ['delete', ['destroy']],
  ['*', ['create', 'read', 'update', 'destroy']],
]);

/** The role of requests without a token. */
const anonymousRole = 'anonymous';

interface DabEntity {
  readonly name: string;
  readonly entry: JsonMap;
  readonly table: DescribedTable;
  /** Columns by the names that the entity gives them. */
  readonly columns: ReadonlyMap<string, string>;
}

/** The table of an entity; a text where there is none. */
const tableOf = (schema: DescribedSchema, source: unknown, place: string): DescribedTable | string => {
  const { object, type = 'table' } = typeof source === 'string' ? { object: source } : mapAt(source, place);
  if (type !== 'table' && type !== 'view') return `it is a ${String(type)}`;
  const parts = textAt(object, `${place}.object`)
    .split('.')
    .map((part) => part.replace(/^\[(.*)\]$|^"(.*)"$/, '$1$2'));
  const [name, of] = parts.toReversed();
  const found = schema.tables.find(
    (table) => table.name === name && (of === undefined || of === table.schema) && parts.length <= 2,
  );
  return found ?? `the schema has no table ${parts.join('.')}`;
};

/** Columns by their names in the entity: `mappings`, or `fields` with an `alias`. */
const columnsOf = (
  { columns }: DescribedTable,
  entry: JsonMap,
  place: string,
): ReadonlyMap<string, string> => {
  const given = new Map<string, string>();
  for (const [column, name] of Object.entries(mapAt(entry['mappings'] ?? {}, `${place}.mappings`)))
    given.set(column, textAt(name, `${place}.mappings`));
  for (const each of listAt(entry['fields'], `${place}.fields`)) {
    const { name, alias } = mapAt(each, `${place}.fields`);
    if (alias !== undefined && alias !== null)
      given.set(textAt(name, `${place}.fields.name`), textAt(alias, `${place}.fields.alias`));
  }
  return new Map(columns.map(({ name }) => [given.get(name) ?? name, name]));
};

class EntityReader {
  readonly #entity: DabEntity;
  readonly #claims: ReadonlySet<string>;

  constructor(entity: DabEntity, claims: ReadonlySet<string>) {
    this.#entity = entity;
    this.#claims = claims;
  }

  /** The columns of `fields` in an action; undefined for all. */
  #columns(fields: unknown, place: string): ReadonlySet<string> | undefined {
    if (fields === undefined || fields === null) return undefined;
    const { include = ['*'], exclude = [] } = mapAt(fields, place);
    const { columns } = this.#entity;
    const named = (list: unknown, of: string): readonly string[] =>
      listAt(list, `${place}.${of}`).flatMap((each) => {
        const name = textAt(each, `${place}.${of}`);
        if (name === '*') return [...columns.values()];
        const column = columns.get(name);
        if (column === undefined) throw new SourceError(`${place}.${of} names no column: ${name}`);
        return [column];
      });
    const left = new Set(named(exclude, 'exclude'));
    return new Set(named(include ?? ['*'], 'include').filter((column) => !left.has(column)));
  }

  #policy(
    policy: unknown,
    place: string,
  ): { readonly rows: PolicyCondition; readonly closed: string | undefined } {
    const { database, request } = mapAt(policy ?? {}, place);
    const closed = request === undefined || request === null ? undefined : 'it has a policy for requests';
    if (database === undefined || database === null || database === '') return { rows: alwaysMet, closed };
    const rows = odataCondition(textAt(database, `${place}.database`), {
      columnOf: (name) => this.#entity.columns.get(name),
      claims: this.#claims,
    });
    return { rows, closed };
  }

  #rule(role: string, action: RowAction, given: JsonMap, place: string): SourceRule {
    const { rows, closed } = this.#policy(given['policy'], `${place}.policy`);
    const isCreate = action === 'create';
    // Data API builder checks no policy against new rows of PostgreSQL.
    const unchecked =
      isCreate && rows !== alwaysMet ? 'its policy for new rows is not for every database' : closed;
    const anonymous =
      role === anonymousRole ? 'callers without a user have no role: see publicRead of the model' : undefined;
    const because = anonymous ?? unchecked;
    const rule: SourceRule = {
      table: this.#entity.table,
      role,
      action,
      place: `the entity ${this.#entity.name}, role ${role}, ${action}`,
      before: isCreate ? alwaysMet : rows,
      after: isCreate ? alwaysMet : undefined,
      columns: action === 'destroy' ? undefined : this.#columns(given['fields'], `${place}.fields`),
    };
    return because === undefined ? rule : { ...rule, closed: because };
  }

  rules(): readonly SourceRule[] {
    const { name, entry } = this.#entity;
    const given = listAt(entry['permissions'], `${name}.permissions`).map((each, at) =>
      mapAt(each, `${name}.permissions[${at}]`),
    );
    const roles = given.map(({ role }) => textAt(role, `${name}.permissions.role`).toLowerCase());
    const rules = given.flatMap((permission, at) =>
      this.#ofRole(roles[at] ?? '', permission, `${name}.permissions[${at}]`),
    );
    // A signed-in caller without rules of its own has those of a caller without a token.
    if (roles.includes('authenticated')) return rules;
    const open = given.filter((_, at) => roles[at] === anonymousRole);
    return [
      ...rules,
      ...open.flatMap((permission) => this.#ofRole('authenticated', permission, `${name}.permissions`)),
    ];
  }

  #ofRole(role: string, permission: JsonMap, place: string): readonly SourceRule[] {
    return listAt(permission['actions'], `${place}.actions`).flatMap((each) => {
      const given = isMap(each) ? each : { action: each };
      const action = textAt(given['action'], `${place}.action`).toLowerCase();
      const meant = actions.get(action);
      if (meant === undefined) throw new SourceError(`${place}.actions names no action: ${action}`);
      return meant.map((each) => this.#rule(role, each, given, place));
    });
  }
}

/** An action that a role has twice has no certain rule. */
const closeRepeated = (rules: readonly SourceRule[]): readonly SourceRule[] => {
  const key = ({ table, role, action }: SourceRule): string => JSON.stringify([table.name, role, action]);
  const counts = Map.groupBy(rules, key);
  return rules.map((rule) =>
    (counts.get(key(rule))?.length ?? 0) > 1
      ? { ...rule, closed: 'several permissions of the table say it, also of other entities' }
      : rule,
  );
};

/** The permissions of a configuration. @throws SourceError */
export const readDataApiBuilder = (
  content: unknown,
  schema: DescribedSchema,
  reader: ReaderContext,
): SourcePolicies => {
  const { entities } = mapAt(content, 'the file');
  if (entities === undefined) throw new SourceError('it has no entities');
  const left: LeftPolicy[] = [];
  const claims = new Set([...reader.claims, ...userClaims]);
  const rules = Object.entries(mapAt(entities, 'entities')).flatMap(([name, value]) => {
    const entry = mapAt(value, name);
    const table = tableOf(schema, entry['source'], `${name}.source`);
    if (typeof table === 'string') {
      left.push({ place: `the entity ${name}`, because: table });
      return [];
    }
    const columns = columnsOf(table, entry, name);
    return new EntityReader({ name, entry, table, columns }, claims).rules();
  });
  return { name: 'dab', rules: closeRepeated(rules), left, readsFirst: false };
};
