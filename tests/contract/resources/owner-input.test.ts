import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import type { Answer } from '../../support/http-client.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** Input of a record's owner. */

const noteFields = {
  title: field.string({ required: true }),
  folder: field.reference('Folder'),
  user_id: field.owner(),
};
const folderFields = { title: field.string({ required: true }), user_id: field.owner() };

/** Isolation alone: the owner is an ordinary input. */
const note = defineResource('Note', {
  fields: noteFields,
  isolation: true,
  auth: ['jwt', 'signature'],
});
/** The caller owns what they create. */
const folder = defineResource('Folder', {
  fields: folderFields,
  isolation: true,
  ownership: true,
  relations: { notes: many('Note', { by: 'folder', write: true }) },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'folders', { fields: folderFields });
      await createTable(db, dialect, 'notes', { fields: noteFields, references: { folder: 'folders' } });
    },
  },
};

interface Owned {
  readonly id: number;
  readonly user_id: number | null;
}

describeEachDatabase('the owner in a body', (databases) => {
  const service = useService(databases, { application: { resources: [note, folder], migrations } });

  const people = async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    return { ann, ben, admin: await service.createUser(['admin']), root: await service.admin() };
  };
  const create = (path: string, values: object, token: TestUser): Promise<Answer<Owned>> =>
    service.post(path, { token, body: { [path.includes('folders') ? 'folder' : 'note']: values } });
  const change = (path: string, values: object, token: TestUser): Promise<Answer<Owned>> =>
    service.request('PATCH', path, {
      token,
      body: { [path.includes('folders') ? 'folder' : 'note']: values },
    });

  it('the owner of isolation alone is an ordinary input: oneself, and anybody for administrators', async () => {
    const { ann, ben, admin } = await people();
    const owner = async (values: object, token: TestUser) => {
      const { status, data } = await create('/api/v1/notes', { title: 'x', ...values }, token);
      return status === 201 ? data.user_id : status;
    };
    expect(await owner({}, ann)).toBeNull();
    expect(await owner({ user_id: null }, ann)).toBeNull();
    expect(await owner({ user_id: ann.id }, ann)).toBe(ann.id);
    expect(await owner({ user_id: ben.id }, admin)).toBe(ben.id);
    const another = await create('/api/v1/notes', { title: 'x', user_id: ben.id }, ann);
    const missing = await create('/api/v1/notes', { title: 'x', user_id: 99_999 }, ann);
    expect([another.status, another.text]).toEqual([422, missing.text]);
    expect(another.text).toContain('"field":"user_id"');
  });

  it('the owner of isolation alone changes by an update, under the same rule', async () => {
    const { ann, ben, admin } = await people();
    const { data } = await create('/api/v1/notes', { title: 'x', user_id: ann.id }, ann);
    const path = `/api/v1/notes/${data.id}`;
    expect((await change(path, { user_id: ben.id }, ann)).status).toBe(422);
    expect((await change(path, { user_id: ann.id, title: 'y' }, ann)).data).toMatchObject({ title: 'y' });
    expect((await change(path, { user_id: ben.id }, admin)).data.user_id).toBe(ben.id);
    expect((await change(path, { user_id: ann.id }, ann)).status).toBe(404);
  });

  it('the owner of isolation alone is held to the rule in a batch, within another record and in metadata', async () => {
    const { ann, ben } = await people();
    const batch = await service.post('/api/v1/notes/batch', {
      token: ann,
      body: {
        create: [
          { title: 'a', user_id: ann.id },
          { title: 'b', user_id: ben.id },
        ],
      },
    });
    expect([batch.status, batch.text]).toEqual([422, expect.stringContaining('"field":"create.1.user_id"')]);
    const nested = (user: TestUser) =>
      create('/api/v1/folders', { title: 'f', notes: [{ title: 'a', user_id: user.id }] }, ann);
    expect((await nested(ann)).status).toBe(201);
    const refused = await nested(ben);
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('"field":"notes.0.user_id"'),
    ]);
    for (const [model, readOnly] of [
      ['Note', false],
      ['Folder', true],
    ] as const) {
      const { fields } = await service.ok<{ fields: { name: string }[] }>('GET', `/api/v1/meta/${model}`, {
        token: ann,
      });
      expect(fields.find(({ name }) => name === 'user_id')).toMatchObject({ read_only: readOnly });
    }
    const { text } = await service.get('/api-docs/openapi.json');
    const { schemas } = (JSON.parse(text) as { components: { schemas: Record<string, object> } }).components;
    expect(schemas['NoteCreate']).toHaveProperty('properties.user_id');
    expect(schemas['FolderCreate']).not.toHaveProperty('properties.user_id');
  });

  it('the owner of ownership is the caller, whatever the body says', async () => {
    const { ann, ben, admin } = await people();
    for (const token of [ann, admin]) {
      const { data } = await create('/api/v1/folders', { title: 'x', user_id: ben.id }, token);
      expect(data.user_id).toBe(token.id);
      const changed = await change(`/api/v1/folders/${data.id}`, { user_id: ben.id }, token);
      expect(changed.data.user_id).toBe(token.id);
    }
  });

  it('the owner of any model is set by administrators in their area, and stands in the audit log', async () => {
    const { ann, ben, root } = await people();
    const audited = async (id: number, kind: string) =>
      (
        await service.ok<{ action: string; target_kind: string; target_id: string; detail: object }[]>(
          'GET',
          `/admin/audit?filter[target_kind]=${kind}&per_page=100`,
          { token: root },
        )
      )
        .filter(({ target_id }) => target_id === String(id))
        .map(({ action, detail }) => ({ action, ...detail }));
    for (const [path, kind, without] of [
      ['/admin/records/folders', 'Folder', root.id],
      ['/admin/records/notes', 'Note', null],
    ] as const) {
      const plain = await create(path, { title: 'x', user_id: null }, root);
      expect(plain.data.user_id).toBe(without);
      expect(await audited(plain.data.id, kind)).toEqual([]);
      const { data } = await create(path, { title: 'x', user_id: ann.id }, root);
      expect(data.user_id).toBe(ann.id);
      expect((await change(`${path}/${data.id}`, { user_id: ann.id, title: 'y' }, root)).status).toBe(200);
      expect((await change(`${path}/${data.id}`, { user_id: ben.id }, root)).data.user_id).toBe(ben.id);
      expect((await change(`${path}/${data.id}`, { user_id: 99_999 }, root)).status).toBe(422);
      const fields = ['user_id'];
      expect(await audited(data.id, kind)).toEqual(
        expect.arrayContaining([
          { action: 'record.create', fields, before: without, after: ann.id },
          { action: 'record.update', fields, before: ann.id, after: ben.id },
        ]),
      );
      expect(await audited(data.id, kind)).toHaveLength(2);
      const batch = await service.ok<{ created: Owned[] }>('POST', `${path}/batch`, {
        token: root,
        body: { create: [{ title: 'x', user_id: ben.id }] },
      });
      const [made] = batch.created;
      expect(made?.user_id).toBe(ben.id);
      expect(await audited(Number(made?.id), kind)).toHaveLength(1);
      const meta = await service.ok<{ fields: { name: string }[] }>('GET', `/admin/meta/${kind}`, {
        token: root,
      });
      expect(meta.fields.find(({ name }) => name === 'user_id')).toMatchObject({ read_only: false });
    }
  });
});
