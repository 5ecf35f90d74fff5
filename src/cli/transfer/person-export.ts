/**
 * `gatewright export --person`: everything that the service stores about a person, one JSON object per line, for a
 * request of access. Tables and columns are named one by one, so that no secret or digest can be among them.
 */

import type { Database } from '../../database/database.ts';
import { recordNumber } from '../../database/record-column.ts';
import { timeText } from '../../database/source.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  own,
  param,
  sql,
  statement,
  tableName,
} from '../../database/statement.ts';
import { ownTables } from '../../database/tables.ts';
import type { RecordId } from '../../fields/key.ts';
import { parseExact } from '../../kernel/exact-json.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { RecordPage, Scope } from '../../model/scope.ts';

/** Rows of one statement, and records of one page. */
const pageRows = 500;

/** Rows of a table of the service that belong to a person. */
interface PersonRows {
  /** The `kind` of their lines. */
  readonly kind: string;
  readonly table: string;
  /** Unique and in order; default: `id`. */
  readonly key?: string;
  readonly columns: readonly string[];
  readonly where: Fragment;
}

const user = param('user');
const userText = param('text');
const byPerson = sql`actor_kind = 'user' and actor_id = ${userText}`;
const ofUser = sql`user_id = ${user}`;
const recorded = ['model', 'record_id', 'version', 'action', 'at', 'reason'];

/** The exported rows of the service's own tables, a line each, without values of other people's records. */
export const personRows: readonly PersonRows[] = [
  {
    kind: 'user',
    table: 'users',
    columns: ['id', 'username', 'email', 'name', 'disabled', 'second_factor', 'created_at', 'updated_at'],
    where: sql`id = ${user}`,
  },
  { kind: 'role', table: 'user_roles', key: 'role', columns: ['role'], where: ofUser },
  {
    kind: 'session',
    table: 'sessions',
    columns: ['id', 'address', 'user_agent', 'created_at', 'last_used_at', 'second_factor'],
    where: ofUser,
  },
  {
    kind: 'api_key',
    table: 'api_keys',
    columns: ['id', 'name', 'expires_at', 'created_at', 'last_used_at', 'scopes', 'networks', 'rotated_at'],
    where: ofUser,
  },
  {
    kind: 'revoked_key',
    table: 'gatewright_revoked_keys',
    key: 'key_id',
    columns: ['key_id', 'name', 'username', 'revoked_at'],
    where: ofUser,
  },
  {
    kind: 'linked_account',
    table: 'gatewright_linked_accounts',
    columns: ['id', 'provider', 'issuer', 'subject', 'created_at', 'last_used_at'],
    where: ofUser,
  },
  {
    kind: 'authenticator',
    table: 'gatewright_totp',
    key: 'user_id',
    columns: ['created_at', 'last_used_at'],
    where: ofUser,
  },
  {
    kind: 'passkey',
    table: 'gatewright_passkeys',
    columns: ['id', 'name', 'created_at', 'last_used_at'],
    where: ofUser,
  },
  {
    kind: 'invitation',
    table: 'gatewright_invitations',
    columns: ['id', 'created_at', 'expires_at', 'used_at', 'ended_at'],
    where: ofUser,
  },
  {
    kind: 'account_link',
    table: 'gatewright_account_links',
    columns: ['id', 'purpose', 'account', 'locale', 'address', 'created_at', 'expires_at'],
    where: ofUser,
  },
  {
    kind: 'view',
    table: 'gatewright_views',
    columns: ['id', 'resource', 'name', 'query', 'shared', 'created_at', 'updated_at'],
    where: ofUser,
  },
  {
    kind: 'webhook',
    table: 'gatewright_webhooks',
    columns: ['id', 'url', 'models', 'actions', 'disabled', 'created_at', 'updated_at'],
    where: ofUser,
  },
  { kind: 'history', table: 'gatewright_history', columns: recorded, where: byPerson },
  { kind: 'event', table: 'gatewright_events', columns: [...recorded, 'fields'], where: byPerson },
  {
    kind: 'deletion',
    table: 'gatewright_trash',
    columns: ['model', 'record_id', 'version', 'deleted_at', 'reason'],
    where: sql`${byPerson} and kind <> 'reference'`,
  },
  {
    kind: 'audit',
    table: 'audit',
    columns: ['id', 'created_at', 'action', 'target_kind', 'target_id', 'target_name', 'detail', 'address'],
    where: byPerson,
  },
  // The actor of these lines is somebody else, whose data they would be.
  {
    kind: 'audit_about',
    table: 'audit',
    columns: ['id', 'created_at', 'action', 'detail'],
    where: sql`target_kind = 'user' and target_id = ${userText}
      and (actor_kind <> 'user' or actor_id <> ${userText})`,
  },
  {
    kind: 'refusal',
    table: 'gatewright_refusals',
    columns: ['refused_at', 'first_at', 'refusals', 'method', 'path', 'status', 'code', 'address'],
    where: sql`caller_kind = 'user' and caller_id = ${userText}`,
  },
];

type Write = (line: JsonObject) => Promise<void>;
type Row = Record<string, Json>;

/** The columns of a table of the service with their types. */
const typesOf = (table: string): ReadonlyMap<string, string> =>
  new Map(
    ownTables
      .filter(({ name }) => name === table)
      .flatMap(({ columns }) => Object.entries(columns).map(([name, { type }]) => [name, type] as const)),
  );

/** Writes everything that is stored about one person. */
export class PersonExport {
  readonly #database: Database;
  readonly #scope: Scope<'all'>;
  readonly #models: readonly ResourceModel[];
  readonly #write: Write;

  constructor(database: Database, scope: Scope<'all'>, models: readonly ResourceModel[], write: Write) {
    this.#database = database;
    this.#scope = scope;
    this.#models = models;
    this.#write = write;
  }

  async run(id: number): Promise<void> {
    for (const rows of personRows) await this.#rows(rows, id);
    for (const model of this.#models)
      for (const { name, reference, column } of model.fields.values())
        if (column === model.owner || reference === 'User') await this.#records(model, name, column, id);
    for (const model of this.#models) if (model.owner !== undefined) await this.#trash(model, id);
  }

  /** The rows of a table, some at a time. */
  async #rows({ kind, table, key = 'id', columns, where }: PersonRows, id: number): Promise<void> {
    const { dialect } = this.#database;
    const types = typesOf(table);
    const read = (name: string): Fragment => {
      const column = identifier(name);
      if (types.get(name) === 'timestamp') return sql`${timeText(dialect, column)} as ${column}`;
      return types.get(name) === 'json' ? sql`cast(${column} as text) as ${column}` : column;
    };
    const shown = join([...columns.map(read), sql`${identifier(key)} as _key`]);
    const page = (more: Fragment) =>
      statement<{ user: number; text: string; after: number | string; limit: number }>(
        dialect,
        (value) => sql`select ${shown} from ${tableName(table)} where ${where}${more}
          order by ${identifier(key)} limit ${dialect.rows(value('limit'))}`,
      );
    const first = page(sql``);
    const next = page(sql` and ${identifier(key)} > ${param('after')}`);
    const values = { user: id, text: String(id), limit: pageRows };
    for (let after: number | string | undefined; ; ) {
      const query = after === undefined ? first({ ...values, after: 0 }) : next({ ...values, after });
      const rows = await this.#database.all<Row>(query);
      for (const { _key, ...row } of rows) {
        after = _key as number | string;
        await this.#write({ kind, ...this.#shown(row, types) });
      }
      if (rows.length < pageRows) return;
    }
  }

  #shown(row: Row, types: ReadonlyMap<string, string>): JsonObject {
    const entries = Object.entries(row).map(([name, value]): [string, Json] => {
      if (types.get(name) === 'json' && typeof value === 'string') return [name, parseExact(value) as Json];
      return [name, types.get(name) === 'boolean' ? Boolean(value) : value];
    });
    return Object.fromEntries(entries);
  }

  /** Records that the person owns, with their versions, and records that refer to the person. */
  async #records(model: ResourceModel, name: string, column: string, id: number): Promise<void> {
    const records = this.#scope.records(model.name);
    const isOwn = column === model.owner;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: RecordPage<JsonObject & { readonly id: RecordId }> = await records.page({
        filter: { [column]: id },
        after,
        perPage: pageRows,
      });
      for (const record of page.records) {
        await this.#write({ kind: 'record', model: model.name, field: name, record: record as JsonObject });
        if (isOwn && model.history) await this.#versions(model.name, record.id);
      }
      after = page.next;
    }
  }

  async #versions(model: string, id: RecordId): Promise<void> {
    const record = recordNumber(id);
    await this.#rows(
      {
        kind: 'version',
        table: 'gatewright_history',
        columns: [...recorded, 'before', 'after'],
        where: sql`model = ${literal(model)} and record_id = ${literal(record)}`,
      },
      record,
    );
  }

  /** Deleted records of the person that can still be restored. */
  async #trash(model: ResourceModel, id: number): Promise<void> {
    const owner = model.owner ?? '';
    const read = statement<{ model: string; after: number; limit: number }>(
      this.#database.dialect,
      (value) => sql`select id, record_id, cast(record as text) as record from ${own('gatewright_trash')}
        where model = ${value('model')} and kind <> 'reference' and id > ${value('after')}
        order by id limit ${this.#database.dialect.rows(value('limit'))}`,
    );
    for (let after = 0; ; ) {
      const query = read({ model: model.name, after, limit: pageRows });
      const rows = await this.#database.all<{ id: number; record_id: number; record: string | null }>(query);
      for (const { id: key, record } of rows) {
        after = Number(key);
        const values = record === null ? undefined : (parseExact(record) as JsonObject);
        if (values !== undefined && Number(values[owner]) === id)
          await this.#write({ kind: 'trashed_record', model: model.name, record: values });
      }
      if (rows.length < pageRows) return;
    }
  }
}
