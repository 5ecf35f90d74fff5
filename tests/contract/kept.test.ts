import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import {
  alterTable,
  createTable,
  dropTable,
  followColumns,
  renameTable,
} from '../../src/database/migrations/application-steps.ts';
import type { Migration, Migrations } from '../../src/database/migrations/migration.ts';
import { readTables } from '../../src/database/migrations/read-tables.ts';
import { migrate } from '../../src/database/migrations/runner.ts';
import { runAll } from '../../src/database/migrations/statements.ts';
import { keptColumns } from '../../src/database/tables/own-tables.ts';
import type { KeptKind } from '../../src/database/tables/table.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { anyOf, equals, via } from '../../src/model/row-rule.ts';
import { forgetRecord } from '../../src/upkeep/forget.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';

/** The service's own data about records follows their tables and columns, wherever it is stored. */

const customerFields = { zqmail: field.string({ max: 50 }) };
const orderFields = {
  zqnote: field.string({ max: 50 }),
  zqcust: field.reference('Zqcustomer', { onDelete: 'null' }),
};
const kept = { history: true, events: true, trash: true } as const;
const customer = defineResource('Zqcustomer', { fields: customerFields, ...kept });
const order = defineResource('Zqorder', {
  fields: orderFields,
  ...kept,
  isolation: anyOf(equals('zqnote', 'public'), via('zqcust', equals('zqmail', 'public'))),
});

const made: Migrations = {
  '0001': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'zqcustomers', { fields: customerFields });
      const references = { zqcust: 'zqcustomers' };
      await createTable(db, dialect, 'zqorders', { fields: orderFields, references });
    },
  },
};

/** Kinds of columns that hold something of a kind; others do not, but for what is never changed. */
const holding = {
  values: ['values', 'paths', 'sent', 'answer', 'query'],
  fields: ['values', 'paths', 'fields', 'field', 'sent', 'answer', 'query'],
  models: ['model', 'owner', 'models', 'sent'],
  tables: ['list'],
} as const satisfies Record<string, readonly KeptKind[]>;

const declared = (kinds: readonly KeptKind[]): string[] =>
  Object.entries(keptColumns)
    .flatMap(([table, columns]) =>
      kinds.flatMap((kind) => (columns[kind] ?? []).map((column) => `${table}.${column}`)),
    )
    .sort();

const unchanging = new Set(declared(['log', 'register']));
const actor = { principal: 'command line', address: null } as const;

describeEachDatabase('what is kept of records', (databases) => {
  const tablesOf = async (database: Database) =>
    readTables((sql) => database.all({ sql, parameters: [] }), database.dialect);

  /** Columns of the service's own tables in which a text stands, but for logs of what was done. */
  const holders = async (database: Database, text: RegExp): Promise<string[]> => {
    const found = new Set<string>();
    for (const table of Object.keys(keptColumns)) {
      const rows = await database.all<Record<string, unknown>>({
        sql: `select * from ${table}`,
        parameters: [],
      });
      for (const row of rows)
        for (const [column, value] of Object.entries(row))
          if (text.test(JSON.stringify(value) ?? '')) found.add(`${table}.${column}`);
    }
    return [...found].filter((column) => !unchanging.has(column)).sort();
  };

  /** A database in which every kind of column holds something of two records of one model: ids of the records. */
  const seed = async (url: string): Promise<readonly [number, number]> => {
    const receiver = await startReceiver(({ body }, response) => {
      response.setHeader('X-Echo', encodeURIComponent(body));
      response.writeHead(200).end(body);
      return undefined;
    });
    onTestFinished(() => receiver.close());
    await using service = await startService(databases, {
      url,
      application: { resources: [customer, order], migrations: made },
      env: { WEBHOOK_PRIVATE: '1' },
    });
    const token = await service.admin();
    const hook = await service.ok<{ id: number }>('POST', '/admin/webhooks', {
      token,
      body: { webhook: { url: receiver.url, models: ['Zqcustomer', 'Zqorder'], user_id: token.id } },
    });
    const create = async (zqnote: string, cust: number) => {
      const body = { zqorder: { zqnote, zqcust_id: cust } };
      const headers = { 'Idempotency-Key': zqnote };
      return (await service.ok<{ id: number }>('POST', '/api/v1/zqorders', { token, body, headers })).id;
    };
    const delivered = (count: number) =>
      expect
        .poll(
          async () =>
            (
              await service.ok<{ state: string }[]>('GET', `/admin/webhooks/${hook.id}/deliveries`, { token })
            ).filter(({ state }) => state === 'delivered').length,
          { timeout: 20_000 },
        )
        .toBe(count);
    const of = { zqcustomer: { zqmail: 'zqmailed' } };
    const { id: cust } = await service.ok<{ id: number }>('POST', '/api/v1/zqcustomers', { token, body: of });
    const ids = [await create('zqforget', cust), await create('zqkeep', cust)] as const;
    // Before they change: a webhook receives a record as it is.
    await delivered(3);
    for (const id of ids) {
      const body = { zqorder: { zqcust_id: cust } };
      const path = `/api/v1/zqorders/${id}`;
      await service.server.services
        .systemScope('a test')
        .records('Zqorder')
        .update(id, { zqnote: `${id === ids[0] ? 'zqforget' : 'zqkeep'}!` });
      await service.ok('PATCH', path, { token, body });
      await service.ok('DELETE', path, { token });
    }
    await create('plain', cust);
    await service.ok('DELETE', `/api/v1/zqcustomers/${cust}`, { token });
    await service.ok('POST', '/admin/views', {
      token,
      body: {
        view: {
          resource: 'records/zqorders',
          name: 'mine',
          query: {
            filter: { zqnote: 'zqkeep', 'zqcust_id@gte': 1, q: 'x' },
            sort: { field: 'zqnote', order: 'ASC' },
            columns: ['id', 'zqnote', 'zqcust_id'],
          },
        },
      },
    });
    await service.ok('PUT', '/admin/permissions/viewer/Zqorder/update', { token });
    // Events that have no number yet would be lost with the inbox, which is filled again below.
    const database = await databases.open(url);
    const waiting = { sql: 'select count(*) as waiting from gatewright_event_inbox', parameters: [] };
    await expect
      .poll(async () => Number((await database.get<{ waiting: number }>(waiting))?.waiting))
      .toBe(0);
    return ids;
  };

  const fillRest = async (database: Database): Promise<void> => {
    const listed = 'model, record_id, version, action, at, actor_kind, actor_id, fields, reach';
    for (const sql of [
      `delete from gatewright_event_inbox`,
      `insert into gatewright_event_inbox (${listed}) select ${listed} from gatewright_events`,
      `insert into gatewright_imports (model, run, steps) select 'Zqorder', null, 1 where not exists (select 1 from gatewright_imports)`,
      `insert into gatewright_import_places (model, bytes, digest, lines, created, updated, changed_at)
        select 'Zqorder', 1, '', 1, 1, 0, '2026-11-23T00:00:00.000Z' where not exists (select 1 from gatewright_import_places)`,
      `insert into gatewright_counts (model, field, per, target_id, period, last)
        select 'Zqorder', 'zqnote', 'zqcust_id', 1, 0, 1 where not exists (select 1 from gatewright_counts)`,
      `insert into users (username, username_canonical, email, email_canonical, name, password_hash, kind,
          owner_model, owner_record, created_at, updated_at)
        select 'robot', 'robot', '', 'robot', 'robot', '', 'service', 'Zqorder', 1, '2026-11-23T00:00:00.000Z',
          '2026-11-23T00:00:00.000Z' where not exists (select 1 from users where kind = 'service')`,
    ])
      await database.execute({ sql, parameters: [] });
  };

  it('stands in the columns that are said to keep it, and follows', { timeout: 120_000 }, async () => {
    const url = await databases.create();
    const [forgotten, id] = await seed(url);
    const database = await databases.open(url);
    await fillRest(database);

    // Every column of the service's own tables is classified.
    const tables = await tablesOf(database);
    const own = [...tables.values()].filter(({ name }) => !name.startsWith('zq'));
    const columns = own.flatMap(({ name, columns: of }) => [...of.keys()].map((each) => `${name}.${each}`));
    const kinds = [...new Set(Object.values(keptColumns).flatMap((of) => Object.keys(of)))] as KeptKind[];
    expect(declared(kinds)).toEqual(columns.sort());

    // Each column holds what it is said to hold, in this very database.
    expect(await holders(database, /zqkeep/)).toEqual(declared(holding.values));
    expect(await holders(database, /zqforget/)).toEqual(
      declared(holding.values.filter((kind) => kind !== 'query')),
    );
    expect(await holders(database, /zqnote|zqcust_id/)).toEqual(declared(holding.fields));
    expect(await holders(database, /Zqorder/)).toEqual(declared(holding.models));
    expect(await holders(database, /zqorders/)).toEqual(declared(holding.tables));

    const steps: Record<string, Migration> = { ...made };
    const apply = async (up: Migration['up']): Promise<void> => {
      steps[String(Object.keys(steps).length + 1).padStart(4, '0')] = { up };
      await migrate(databaseTarget(url), steps, { tableName: 'migrations' });
    };
    const forget = () => forgetRecord(database, { model: 'Zqorder', id: forgotten }, Date.now(), actor);
    const { deliveries, ...others } = await forget();
    expect(others).toMatchObject({ versions: 4, trash: 1 });
    expect(deliveries).toBeGreaterThan(0);
    await fillRest(database);
    expect(await holders(database, /zqforget/)).toEqual([]);
    expect(await holders(database, /zqkeep/)).toEqual(declared(holding.values));

    const versions = async () => {
      const rows = await database.all<{ before: string | null; after: string | null }>({
        sql: `select cast(before as text) as before, cast(after as text) as after from gatewright_history where record_id = ${id} and model in ('Zqorder', 'Zqsale') order by id`,
        parameters: [],
      });
      return rows.map(({ before, after }) =>
        [before, after].map((text) => (text === null ? null : JSON.parse(text))),
      );
    };
    const before = await versions();
    const rename = { zqnote: 'zqremark', zqcust_id: 'zqbuyer_id' };
    await apply(async (db, dialect) => {
      await alterTable(db, dialect, 'zqorders', { rename });
      await alterTable(db, dialect, 'zqorders', { add: { zqnote: field.string({ max: 50 }) } });
    });
    expect(await holders(database, /zqnote|zqcust_id/)).toEqual(declared(['sent', 'answer']));
    expect(await holders(database, /zqremark|zqbuyer_id/)).toEqual(
      declared(holding.fields.filter((kind) => kind !== 'sent' && kind !== 'answer')),
    );
    expect(await holders(database, /zqkeep/)).toEqual(declared(holding.values));
    const named = Object.fromEntries(Object.entries(rename).map(([from, to]) => [`"${from}"`, `"${to}"`]));
    const renamed = JSON.stringify(before).replaceAll(/"zq(note|cust_id)"/g, (key) => named[key] ?? key);
    expect(JSON.stringify(await versions())).toBe(renamed);
    const [view] = await database.all<{ query: string }>({
      sql: 'select cast(query as text) as query from gatewright_views',
      parameters: [],
    });
    expect(JSON.parse(view?.query ?? '')).toEqual({
      filter: { zqremark: 'zqkeep', 'zqbuyer_id@gte': 1, q: 'x' },
      sort: { field: 'zqremark', order: 'ASC' },
      columns: ['id', 'zqremark', 'zqbuyer_id'],
    });

    await apply((db, dialect) => renameTable(db, dialect, 'zqorders', 'zqsales', { model: 'Zqsale' }));
    expect(await holders(database, /Zqorder/)).toEqual(declared(['sent']));
    expect(await holders(database, /Zqsale/)).toEqual(declared(['model', 'owner', 'models']));
    expect(await holders(database, /zqorders/)).toEqual([]);
    expect(await holders(database, /zqsales/)).toEqual(declared(['list']));

    // KeptKind with records of another model, under the path that leads there.
    expect(await holders(database, /zqmailed/)).toEqual(declared(['values', 'paths', 'sent']));
    await apply((db, dialect) => alterTable(db, dialect, 'zqcustomers', { rename: { zqmail: 'zqpost' } }));
    expect(await holders(database, /zqbuyer_id\.zqpost/)).toEqual(declared(['paths']));
    await apply((db, dialect) => alterTable(db, dialect, 'zqcustomers', { drop: ['zqpost'] }));
    expect(await holders(database, /zqmailed|zqpost/)).toEqual([]);

    // SQL that says nothing, or an earlier version of the service, adds a column: a column of the name gets none of
    // it.
    await apply(async (db, dialect) => {
      await runAll(db, ['alter table zqsales drop column zqremark']);
      await alterTable(db, dialect, 'zqsales', { add: { zqremark: field.string({ max: 50 }) } });
    });
    expect(await holders(database, /zqkeep/)).toEqual(declared(['sent']));
    // SQL that says so adds a column.
    await apply(async (db, dialect) => {
      await runAll(db, ['alter table zqsales drop column zqremark']);
      await followColumns(db, dialect, 'zqsales', { drop: ['zqremark'] });
    });
    expect(await holders(database, /zqkeep|zqremark/)).toEqual([]);
    await apply((db, dialect) => dropTable(db, dialect, 'zqsales'));
    expect(await holders(database, /Zqsale|zqsales|zqbuyer_id/)).toEqual([]);
    const robots = { sql: `select disabled from users where kind = 'service'`, parameters: [] };
    const ended = await database.all<{ disabled: boolean | number }>(robots);
    expect(ended.map(({ disabled }) => Boolean(disabled))).toEqual([true]);
  });
});
