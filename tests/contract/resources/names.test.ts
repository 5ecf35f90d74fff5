import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { useService } from '../../support/service.ts';

/**
 * Words of SQL, names that the service's own statements use, names of functions and of JavaScript: all of them are
 * good names of fields. Names that a database keeps for itself are refused (src/model/define-resource.test.ts).
 */
const words =
  `select from where user group order table index column row rows key keys value values text date time
  timestamp interval current_user current_date default null true false not and or in as on t n r x v c j new old
  excluded record json data count total sum rank type cursor after page per_page sort filter q fields name label
  version_of changes then length to_json value_of offset limit primary references check constraint unique collate
  cast case when end desc asc nulls first last returning with recursive lateral array analyse analyze both
  placing system_user tablesample window variadic verbose rowcount public any all some exists between like is`
    .split(/\s+/)
    .filter((word) => word !== '');

const fields = Object.fromEntries(words.map((word) => [word, field.string({ index: word.length < 3 })]));
const wide = defineResource('Wide', { plural: 'wides', fields });

/** Tables that are called as statements call their parts, or as what a database has of its own. */
const tables =
  'select t n r x v c j rows page source excluded json value returning dual columns users2'.split(' ');
const ownFields = { title: field.string({ unique: true }), user_id: field.owner() };
const models = tables.map((name) =>
  defineResource(`Table${name.toUpperCase()}`, {
    plural: name,
    singular: `${name}_one`,
    fields: ownFields,
    ownership: true,
    isolation: true,
  }),
);

const migrations = {
  '0001_tables': {
    up: async (...[db, dialect]: Parameters<Migration['up']>) => {
      await createTable(db, dialect, wide.table, { fields });
      for (const { table } of models) await createTable(db, dialect, table, { fields: ownFields });
    },
  },
};

describeEachDatabase('names of fields and tables', (databases) => {
  const service = useService(databases, { application: { resources: [wide, ...models], migrations } });

  it('every word is a field: written, shown, filtered, sorted by and searched', async () => {
    const token = await service.admin();
    const path = '/api/v1/wides';
    const values = Object.fromEntries(words.map((word) => [word, `is ${word}`]));
    const made = await service.post(path, { token, body: { wide: values } });
    expect([made.status, made.data]).toEqual([201, expect.objectContaining(values)]);
    const changed = Object.fromEntries(words.map((word) => [word, `was ${word}`]));
    const own = `${path}/${String(made.data['id'])}`;
    const saved = await service.request('PATCH', own, { token, body: { wide: changed } });
    expect([saved.status, saved.data]).toEqual([200, expect.objectContaining(changed)]);
    for (const word of words) {
      const query = `filter[${word}]=was%20${word}&sort=-${word}&fields=id,${word}&q=${word}&per_page=5`;
      const list = await service.get<readonly object[]>(`${path}?${query}`, { token });
      expect([word, list.data]).toEqual([word, [{ id: made.data['id'], [word]: `was ${word}` }]]);
    }
    expect((await service.request('DELETE', own, { token })).status).toBe(200);
  });

  it('every word is a table', async () => {
    const token = await service.createUser();
    for (const { path: name, singular } of models) {
      const path = `/api/v1/${name}`;
      const made = await service.post(path, { token, body: { [singular]: { title: 'first' } } });
      expect([name, made.status]).toEqual([name, 201]);
      const twin = await service.post(path, { token, body: { [singular]: { title: 'first' } } });
      expect([name, twin.status]).toEqual([name, 422]);
      const own = `${path}/${String(made.data['id'])}`;
      const saved = await service.request('PATCH', own, { token, body: { [singular]: { title: 'then' } } });
      expect([name, saved.status]).toEqual([name, 200]);
      const list = await service.get<readonly object[]>(`${path}?q=the&page=1&sort=title`, { token });
      expect([name, list.data]).toEqual([name, [expect.objectContaining({ title: 'then' })]]);
      expect([name, (await service.request('DELETE', own, { token })).status]).toEqual([name, 200]);
    }
  });

  it('no model can have a table that the service keeps', async () => {
    const { database } = service.server.services;
    const rows = await database.all<{ readonly name: string }>({
      sql:
        database.dialect.name === 'sqlite'
          ? "select name from sqlite_master where type = 'table'"
          : 'select tablename as name from pg_tables where schemaname = current_schema()',
      parameters: [],
    });
    const theirs = rows
      .map(({ name }) => name)
      .filter((name) => ![wide, ...models].some(({ table }) => table === name));
    expect(theirs).toContain('permission_entries');
    for (const name of theirs)
      expect(() => defineResource('Taken', { plural: name, fields: ownFields }), name).toThrow(
        /belongs to the service|must be lower case/,
      );
  });
});
