import { isUtf8 } from 'node:buffer';
import { expect, it } from 'vitest';
import { describeDatabase, describeEachDatabase } from '../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  textOf,
  thingFields,
  thingSource,
} from '../../tests/support/things.ts';
import type { Database } from '../database/database.ts';
import { quoteName } from '../database/quote.ts';
import type { Source, SourceColumn } from '../database/source.ts';
import { type Fragment, identifier as named, sql, statement } from '../database/statement.ts';
import { field } from '../fields/define.ts';
import { systemGrant } from '../policy/system-grant.ts';
import { createList } from './list/list.ts';
import { createShow } from './show.ts';
import { projection } from './view.ts';

const sourceOf = (name: string, columns: readonly SourceColumn[], from: Fragment): Source => ({
  name,
  from: () => from,
  columns: new Map(columns.map((column) => [column.name, column])),
  key: 'id',
  indexed: new Set(['id']),
});

const integer = (name: string): SourceColumn => ({ name, type: field.integer().type, options: {} });

describeEachDatabase('projection', (databases) => {
  it('writes the same bytes on both databases', async () => {
    const database = await databases.open();
    await createThings(database);
    await insertThings(database, [
      {
        ...emptyThing,
        id: 9007199254740991,
        title: 'quote " backslash \\ slash / tab \t bell \u0007 del \u007f 😀 \u2028 é',
        body: 'line\r\nfeed\f\b',
        n: -9007199254740991,
        price: -5,
        ratio: 0.1 + 0.2,
        flag: false,
        day: '0001-01-01',
        at: '9999-12-31T23:59:59.999Z',
        state: 'live',
        data: '{"b":[1,2.50,{"a":null}],"a":"\\u00e9"}',
        uid: '0188d7b2-0000-4000-8000-0123456789ab',
      },
    ]);
    const shown = await createShow(database, thingSource)(systemGrant(thingFields), 9007199254740991);
    expect(shown?.json).toBe(
      '{"id":9007199254740991,"title":"quote \\" backslash \\\\ slash / tab \\t bell \\u0007 del \u007f 😀 \u2028 é",' +
        '"body":"line\\r\\nfeed\\f\\b","n":-9007199254740991,"price":"-0.05","ratio":0.30000000000000004,' +
        '"flag":false,"day":"0001-01-01","at":"9999-12-31T23:59:59.999Z","state":"live",' +
        '"data":{"b":[1,2.50,{"a":null}],"a":"\\u00e9"},"uid":"0188d7b2-0000-4000-8000-0123456789ab"}',
    );
  });

  it('holds more columns than a function takes arguments, in their order', async () => {
    const database = await databases.open();
    const names = ['id', ...Array.from({ length: 620 }, (_, index) => `c${index}`)];
    await database.execute({
      sql: `create table wide (${names.map((name) => `${name} integer`).join(', ')})`,
      parameters: [],
    });
    await database.execute({ sql: 'insert into wide (id, c0, c619) values (1, 7, 8)', parameters: [] });
    const source = sourceOf('wide', names.map(integer), named('wide'));
    for (const count of [1, 50, 51, 100, 101, 621]) {
      const shown = names.slice(0, count);
      const answer = await createShow(database, source)(systemGrant(shown), 1);
      const expected = shown.map((name) => [name, { id: 1, c0: 7, c619: 8 }[name] ?? null]);
      expect(answer?.json).toBe(JSON.stringify(Object.fromEntries(expected)));
    }
  });

  it('takes names with quotes for names, nothing else', async () => {
    const database = await databases.open();
    const name = `a"b'c; drop table odd --`;
    await database.execute({
      sql: `create table odd (id integer primary key, ${quoteName(name)} integer)`,
      parameters: [],
    });
    await database.execute({ sql: 'insert into odd values (1, 5), (2, 6)', parameters: [] });
    const list = createList(database, sourceOf('odd', [integer('id'), integer(name)], named('odd')));
    const grant = systemGrant(['id', name]);
    const query = `filter[${encodeURIComponent(name)}][gt]=5&sort=-${encodeURIComponent(name)}&per_page=1`;
    const answer = await list(grant, { query, path: '/odd' });
    expect(JSON.parse(await textOf(answer))).toEqual([{ id: 2, [name]: 6 }]);
    expect(answer.headers['X-Total-Count']).toBe('1');
  });

  it('follows the source where a column or the rows are computed', async () => {
    const database = await databases.open();
    await createThings(database);
    await insertThings(database, [
      { ...emptyThing, id: 1, n: 2, user_id: 1, title: 'one' },
      { ...emptyThing, id: 2, n: 3, user_id: 1, title: 'two' },
      { ...emptyThing, id: 3, n: 1, user_id: 2, title: 'three' },
    ]);
    const twice: SourceColumn = { ...integer('twice'), expression: () => sql`(t."n" * 2)` };
    const owner: SourceColumn = {
      name: 'owner',
      type: field.string().type,
      options: {},
      expression: () => sql`t."title"`,
      render: (dialect) => dialect.object([{ name: 'title', value: sql`t."title"` }]),
    };
    const list: SourceColumn = {
      name: 'list',
      type: field.text().type,
      options: {},
      render: (dialect) => dialect.arrayOf(sql`n`, sql`select t."n" as n`),
      comparable: false,
    };
    const source = sourceOf(
      'computed',
      [integer('id'), twice, owner, list],
      sql`(select * from "things" where "user_id" = 1)`,
    );
    const ask = async (query: string) => {
      const answer = await createList(database, source)(systemGrant(['id', 'twice', 'owner', 'list']), {
        query,
        path: '/computed',
      });
      return { ...answer, json: await textOf(answer) };
    };
    expect((await ask('sort=-twice')).json).toBe(
      '[{"id":2,"twice":6,"owner":{"title":"two"},"list":[3]},{"id":1,"twice":4,"owner":{"title":"one"},"list":[2]}]',
    );
    expect((await ask('filter[twice]=4&fields=id')).json).toBe('[{"id":1}]');
    // The compared value goes into the cursor, not the shown one.
    const first = await ask('sort=-owner&per_page=1&fields=id');
    const next = /\?([^>]*)>; rel="next"/.exec(first.headers.Link ?? '')?.[1] ?? '';
    const second = await ask(next);
    expect([first.json, second.json]).toEqual(['[{"id":2}]', '[{"id":1}]']);
    const prev = /\?([^>]*)>; rel="prev"/.exec(second.headers.Link ?? '')?.[1] ?? '';
    expect((await ask(prev)).json).toBe('[{"id":2}]');
    for (const query of ['sort=list', 'filter[list]=1', 'filter[list][null]=true'])
      await expect(ask(query)).rejects.toMatchObject({ problem: 'unusable_field', params: { name: 'list' } });
    expect((await ask('q=3')).json).toBe('[]');
  });
});

describeEachDatabase('show', (databases) => {
  const seeded = async (): Promise<Database> => {
    const database = await databases.open();
    await createThings(database);
    await insertThings(database, [{ ...emptyThing, id: 4, n: 12, title: 'four', user_id: 7 }]);
    return database;
  };

  it('answers the record in the view of the grant, with its version', async () => {
    const database = await seeded();
    const show = createShow(database, thingSource, { version: 'n' });
    expect(await show(systemGrant(['title', 'id']), 4)).toEqual({
      json: '{"title":"four","id":4}',
      version: 12,
    });
    expect(await show(systemGrant(['id']), 4)).toEqual({ json: '{"id":4}', version: 12 });
    expect(await createShow(database, thingSource)(systemGrant(['id']), 4)).toEqual({ json: '{"id":4}' });
  });

  it('answers nothing for a missing record or one out of scope', async () => {
    const show = createShow(await seeded(), thingSource);
    const grant = systemGrant(['id']);
    expect(await show(grant, 5)).toBeUndefined();
    expect(await show(grant, 4, [{ column: 'user_id', value: 8 }])).toBeUndefined();
    expect(await show(grant, 4, [{ column: 'user_id', value: null }])).toBeUndefined();
    expect(await show(grant, 4, [{ column: 'user_id', value: 7 }])).toEqual({ json: '{"id":4}' });
    await expect(show(grant, 4, [{ column: 'nothing', value: 7 }])).rejects.toThrow('no column nothing');
  });

  it('adds to a writing statement as well', async () => {
    const database = await seeded();
    const { dialect } = database;
    const json = projection(thingSource, ['id', 'n'], dialect, 'things');
    const update = statement<{ n: number }>(
      dialect,
      (param) => sql`update "things" set "n" = ${param('n')} where "id" = 4 returning ${json} as json`,
    );
    const rows = await database.execute(update({ n: 13 }));
    expect(rows).toEqual([{ json: '{"id":4,"n":13}' }]);
  });
});

describeDatabase('sqlite', 'a text that another program has broken', (databases) => {
  it('a text that another program has broken is returned as UTF-8 all the same', async () => {
    const database = await databases.open();
    await database.execute({ sql: 'create table odd (id integer primary key, name text)', parameters: [] });
    await database.execute({
      sql: `insert into odd values (1, cast(x'e4b8ad62ff63' as text))`,
      parameters: [],
    });
    const name: SourceColumn = { name: 'name', type: field.text().type, options: {} };
    const list = createList(database, sourceOf('odd', [integer('id'), name], named('odd')));
    const answer = await list(systemGrant(['id', 'name']), { query: '', path: '/odd' });
    if (!('json' in answer)) throw new Error('a small list came in pieces');
    const bytes = Buffer.from(answer.json);
    expect(isUtf8(bytes)).toBe(true);
    expect(JSON.parse(bytes.toString())).toEqual([{ id: 1, name: '中b\ufffdc' }]);
  });
});
