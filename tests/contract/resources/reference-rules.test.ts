import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/**
 * References within a caller's reach, and references that the application itself sets; by example. The table is in
 * references.test.ts.
 */

const diaryFields = { title: field.string(), user_id: field.owner() };
const taskFields = {
  title: field.string(),
  diary: field.reference('Diary', { required: true }),
  assignee: field.reference('User'),
  reporter: field.reference('User', { anyone: true }),
  fallback: field.reference('Diary', { default: 1 }),
  user_id: field.owner(),
};
const diary = defineResource('Diary', {
  fields: diaryFields,
  plural: 'diaries',
  isolation: true,
  ownership: true,
});
/** The values that the hook puts in the place of the sent ones. */
let replaced: Record<string, number> = {};
const task = defineResource('Task', {
  fields: taskFields,
  hooks: { beforeSave: ({ values }) => void Object.assign(values, replaced) },
});
const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      const references = { diary: 'diaries', fallback: 'diaries' };
      await createTable(db, dialect, 'diaries', { fields: diaryFields });
      await createTable(db, dialect, 'tasks', { fields: taskFields, references });
    },
  },
};

describeEachDatabase('a reference in a body', (databases) => {
  const service = useService(databases, { application: { resources: [diary, task], migrations } });

  const setUp = async () => {
    replaced = {};
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const of = (owner: TestUser) =>
      service.ok<{ id: number }>('POST', '/api/v1/diaries', {
        token: owner,
        body: { diary: { title: 'x' } },
      });
    const [hers, his] = [(await of(ann)).id, (await of(ben)).id];
    const write = (values: object, token: TestUser, headers = {}) =>
      service.post<Record<string, unknown>>('/api/v1/tasks', { token, headers, body: { task: values } });
    const change = (id: unknown, values: object, token: TestUser) =>
      service.request('PATCH', `/api/v1/tasks/${id}`, { token, body: { task: values } });
    return { ann, ben, hers, his, write, change };
  };

  it("a reference to another's isolated record is one to nothing, and so holds nothing", async () => {
    const { ann, ben, hers, his, write } = await setUp();
    const refused = await write({ diary_id: his }, ann);
    const missing = await write({ diary_id: 99_999 }, ann);
    expect(refused.status).toBe(422);
    expect(refused.text).toBe(missing.text);
    expect((await service.delete(`/api/v1/diaries/${his}`, { token: ben })).status).toBe(200);
    expect((await write({ diary_id: hers }, ann)).status).toBe(201);
    expect((await service.delete(`/api/v1/diaries/${hers}`, { token: ann })).status).toBe(409);
  });

  it('a reference to a user is one to oneself, but for administrators and where anyone may be named', async () => {
    const { ann, ben, hers, write } = await setUp();
    const named = async (values: object, token = ann) =>
      (await write({ diary_id: hers, ...values }, token)).status;
    expect(await named({ assignee_id: ann.id })).toBe(201);
    expect(await named({ assignee_id: ben.id })).toBe(422);
    expect(await named({ assignee_id: ben.id }, await service.createUser(['admin']))).toBe(201);
    expect(await named({ reporter_id: ben.id })).toBe(201);
    expect(await named({ reporter_id: 99_999 })).toBe(422);
    // A record whose owner the body names may be somebody else's.
    expect(await named({ user_id: ben.id })).toBe(201);
    expect(await named({ user_id: 99_999 })).toBe(422);
  });

  it('a reference may be sent back as it stands, also where the caller cannot read what it names', async () => {
    const { ann, ben, hers, his, write, change } = await setUp();
    const { id } = (await write({ diary_id: his, assignee_id: ben.id }, await service.admin())).data;
    const same = { diary_id: his, assignee_id: ben.id };
    expect((await change(id, { ...same, title: 'changed' }, ann)).status).toBe(200);
    const other = (await service.createUser()).id;
    const refused = await change(id, { ...same, assignee_id: other }, ann);
    expect(refused.json.data).toMatchObject({ errors: [{ field: 'assignee_id', rule: 'reference' }] });
    expect((await change(id, { diary_id: hers, assignee_id: null }, ann)).status).toBe(200);
    // Gone from the record, it is as far away as before.
    expect((await change(id, same, ann)).status).toBe(422);
  });

  it('a reference that the hook set is the application’s word: it has to exist, no more', async () => {
    const { ann, ben, hers, his, write, change } = await setUp();
    replaced = { diary_id: his, assignee_id: ben.id };
    const { status, data } = await write({ diary_id: hers }, ann);
    expect([status, data]).toEqual([201, expect.objectContaining(replaced)]);
    expect((await change(data['id'], { diary_id: hers }, ann)).status).toBe(200);
    replaced = { assignee_id: 99_999 };
    expect((await write({ diary_id: hers }, ann)).status).toBe(422);
    // A value that the hook leaves is still the caller's.
    replaced = { assignee_id: ben.id };
    expect((await write({ diary_id: his }, ann)).status).toBe(422);
  });

  it('a reference that is the default is the application’s word as well, sent or left out', async () => {
    const { ann, hers, write, change } = await setUp();
    const left = await write({ diary_id: hers }, ann);
    expect([left.status, left.data['fallback_id']]).toEqual([201, 1]);
    expect((await write({ diary_id: hers, fallback_id: 1 }, ann)).status).toBe(201);
    const { id } = (await write({ diary_id: hers, fallback_id: null }, ann)).data;
    expect((await change(id, { fallback_id: 1 }, ann)).status).toBe(422);
  });

  it('a reference is not asked again where an idempotent request is answered again', async () => {
    const { ann, hers, write } = await setUp();
    const { database } = service.server.services;
    const send = () => write({ diary_id: hers }, ann, { 'idempotency-key': `once-${hers}` });
    const first = await send();
    await database.execute({ sql: `update diaries set user_id = null where id = ${hers}`, parameters: [] });
    const again = await send();
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect((await write({ diary_id: hers }, ann)).status).toBe(422);
  });

  it('a reference is refused as missing where its record goes between the look-up and the write', async () => {
    using _first = service.askFirstWorker();
    const { ann, hers, write } = await setUp();
    const { resources, database } = service.server.services;
    const records = resources.get('Task')?.records;
    if (records === undefined) throw new Error('no tasks');
    const { collisions } = records;
    let asked = 0;
    Object.assign(records, {
      collisions: async (...args: Parameters<typeof collisions>) => {
        const found = await collisions(...args);
        asked += 1;
        if (asked === 1)
          await database.execute({ sql: `delete from diaries where id = ${hers}`, parameters: [] });
        return found;
      },
    });
    try {
      const { status, json } = await write({ diary_id: hers }, ann);
      expect([status, json.data, asked]).toEqual([
        422,
        { errors: [expect.objectContaining({ field: 'diary_id', rule: 'reference' })] },
        2,
      ]);
    } finally {
      Object.assign(records, { collisions });
    }
  });

  it('a reference is stated by the metadata: any record, or those that the caller may read', async () => {
    const { ann } = await setUp();
    const { fields } = await service.ok<{ fields: { name: string; anyone?: boolean }[] }>(
      'GET',
      '/api/v1/meta/Task',
      { token: ann },
    );
    const anyoneOf = Object.fromEntries(fields.map(({ name, anyone }) => [name, anyone]));
    expect(anyoneOf).toMatchObject({ diary_id: false, assignee_id: false, reporter_id: true, user_id: true });
    expect(anyoneOf['title']).toBeUndefined();
  });
});
