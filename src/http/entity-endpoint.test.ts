import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { applyMigrations } from '../app/migrate.ts';
import { anonymous } from '../auth/principal.ts';
import { sql, statement } from '../database/statement.ts';
import { databaseTarget } from '../database/targets.ts';
import { field } from '../fields/define.ts';
import { JsonText } from '../kernel/json.ts';
import { createLanguages } from '../kernel/messages/languages.ts';
import { defineEntityCommand } from '../ledger/command.ts';
import { systemGrant } from '../policy/system-grant.ts';
import { always, defineEntity, type EntityDefinition } from '../records/entity.ts';
import type { Answer, Call, Endpoint } from './endpoint.ts';
import { describedLists, serveEntity } from './entity-endpoint.ts';

const shelf = {
  title: 'Shelf',
  fields: {
    id: field.integer(always),
    name: field.string({ ...always, label: { 'zh-CN': '名称', en: 'Name' } }),
    state: field.enum(['open', 'closed'], {
      ...always,
      labels: { open: { 'zh-CN': '开放', en: 'Open' }, closed: { 'zh-CN': '关闭', en: 'Closed' } },
    }),
  },
  list: {
    operation: 'listShelves',
    path: '/admin/shelves',
    summary: { 'zh-CN': '书架', en: 'List shelves' },
  },
  record: { operation: 'showShelf', summary: { 'zh-CN': '书架', en: 'Show a shelf' } },
} satisfies EntityDefinition;

const shelves = defineEntity('shelves', shelf);

/** The same entity with one more column: a line. */
const notedShelves = defineEntity('shelves', {
  ...shelf,
  fields: {
    ...shelf.fields,
    note: field.string({ label: { 'zh-CN': '备注', en: 'Note' } }),
  },
});

const addShelf = defineEntityCommand({
  verb: 'create',
  operation: 'createShelf',
  summary: { 'zh-CN': '添加书架', en: 'Add a shelf' },
  bodyKey: 'shelf',
  input: { id: field.integer({ required: true }), name: field.string({ required: true, max: 10 }) },
  problems: ['conflict'],
  constraints: { unique: 'conflict' },
  run: async ({ transaction, dialect, values }) => {
    const insert = statement<{ id: number; name: string }>(
      dialect,
      (value) => sql`insert into shelves (id, name, state) values (${value('id')}, ${value('name')}, 'open')`,
    );
    await transaction.run(insert(values));
    const { id, name } = values;
    return { key: id, audit: { action: 'shelf.create', target: { kind: 'shelf', id, name } } };
  },
});

const jsonOf = ({ data }: Answer): unknown => {
  if (!(data instanceof JsonText)) return data;
  const { text } = data;
  return JSON.parse(typeof text === 'string' ? text : Buffer.from(text.take()).toString());
};

describeEachDatabase('an entity', (databases) => {
  const stage = async () => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    for (const sql of [
      'create table shelves (id integer primary key, name text not null, state text not null, note text)',
      "insert into shelves values (1, 'a', 'open', 'damp'), (2, 'b', 'closed', null), (3, 'c', 'open', null)",
    ])
      await database.execute({ sql, parameters: [] });
    const languages = createLanguages({ locale: 'en', negotiated: false });
    const services = {
      database,
      baseUrl: 'http://example.test',
      clock: () => 0,
      locale: 'en',
      catalogue: languages.first,
      languages,
    } as const;
    const ask = async (entity: typeof shelves, operation: string, query = '', params = {}, body = {}) => {
      const endpoints: readonly Endpoint[] = [
        ...serveEntity(services, { entity, commands: [addShelf] }),
        describedLists(services, [entity]),
      ];
      const endpoint = endpoints.find((each) => each.operation === operation);
      if (endpoint === undefined) throw new Error(`no endpoint ${operation}`);
      const call: Partial<Call> = {
        grant: systemGrant(entity.view),
        query,
        params,
        body,
        path: endpoint.path,
        caller: 'user:1',
        principal: anonymous,
        address: '127.0.0.1',
        language: 'en',
        signal: new AbortController().signal,
        header: () => undefined,
      };
      return jsonOf(await endpoint.handle(call as Call));
    };
    const docsOf = (entity: typeof shelves) => serveEntity(services, { entity })[0]?.docs;
    return { ask, docsOf, database, services };
  };

  it('an entity is a folder and a line: list, filter, record, schema and what pages know of it follow', async () => {
    const { ask, docsOf } = await stage();
    expect(await ask(shelves, 'listShelves', 'filter[state]=open&sort=-name')).toEqual([
      { id: 3, name: 'c', state: 'open' },
      { id: 1, name: 'a', state: 'open' },
    ]);
    expect(await ask(shelves, 'listShelves', 'q=b')).toEqual([{ id: 2, name: 'b', state: 'closed' }]);
    await expect(ask(shelves, 'listShelves', 'filter[note]=damp')).rejects.toMatchObject({
      problem: 'unusable_field',
    });
    expect(await ask(shelves, 'showShelf', '', { id: '2' })).toEqual({ id: 2, name: 'b', state: 'closed' });
    await expect(ask(shelves, 'showShelf', '', { id: '9' })).rejects.toMatchObject({
      problem: 'record_not_found',
    });
    expect(docsOf(shelves)?.data).toEqual({
      type: 'object',
      title: 'Shelf',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string' },
        state: { type: 'string', enum: ['open', 'closed'] },
      },
      required: ['id', 'name', 'state'],
    });
    expect(await ask(shelves, 'describeList', 'lang=zh-CN', { name: 'shelves' })).toMatchObject({
      name: 'shelves',
      fields: [
        { name: 'id', type: 'integer', required: true },
        { name: 'name', label: '名称', type: 'string', searchable: true },
        {
          name: 'state',
          type: 'enum',
          sortable: true,
          choices: [
            { value: 'open', label: '开放' },
            { value: 'closed', label: '关闭' },
          ],
        },
      ],
    });
  });

  it('an entity has a column more by one line', async () => {
    const { ask, docsOf } = await stage();
    expect(await ask(notedShelves, 'listShelves', 'filter[note]=damp')).toEqual([
      { id: 1, name: 'a', state: 'open', note: 'damp' },
    ]);
    expect(docsOf(notedShelves)?.data).toMatchObject({
      properties: { note: { type: ['string', 'null'] } },
      required: ['id', 'name', 'state', 'note'],
    });
    expect(docsOf(notedShelves)?.listFields?.map(({ name }) => name)).toContain('note');
    expect(await ask(notedShelves, 'describeList', '', { name: 'shelves' })).toMatchObject({
      fields: [{}, {}, {}, { name: 'note', label: 'Note', type: 'string', required: false }],
    });
  });

  it('an entity is changed by a command: endpoint, schemas, refusals and its line of the audit log follow', async () => {
    const { ask, database, services } = await stage();
    const create = (shelf: object) => ask(shelves, 'createShelf', '', {}, shelf);
    expect(await create({ id: 4, name: 'd' })).toEqual({ id: 4, name: 'd', state: 'open' });
    await expect(create({ id: 4, name: 'e' })).rejects.toMatchObject({ problem: 'conflict' });
    await expect(create({ id: 5, name: 'eleven signs' })).rejects.toMatchObject({
      problem: 'invalid_record',
      errors: [{ field: 'name', rule: 'max_length' }],
    });
    const audit = { sql: 'select actor_kind, action, target_id, target_name from audit', parameters: [] };
    expect(await database.all(audit)).toEqual([
      { actor_kind: 'nobody', action: 'shelf.create', target_id: '4', target_name: 'd' },
    ]);
    const endpoints = serveEntity(services, { entity: shelves, commands: [addShelf] });
    expect(endpoints.find(({ operation }) => operation === 'createShelf')).toMatchObject({
      method: 'POST',
      path: '/admin/shelves',
      bodyKey: 'shelf',
      status: 201,
      input: { properties: { id: {}, name: { maxLength: 10 } }, required: ['id', 'name'] },
      docs: { summary: { en: 'Add a shelf' }, data: shelves.schema, problems: ['conflict'] },
    });
  });
});
