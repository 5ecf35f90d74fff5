import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type RequestOptions, type TestUser, useService } from '../../support/service.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

const postFields = {
  title: field.string({ required: true, max: 40 }),
  /** A field of the name that the reference below would give a relation. */
  editor: field.string({ max: 40 }),
  editor_id: field.reference('User', { anyone: true }),
  published: field.boolean({ required: true, default: true }),
  user_id: field.owner(),
};
const noteFields = {
  post: field.reference('Post', { required: true }),
  text: field.text(),
  data: field.json(),
  price: field.decimal({ scale: 3 }),
  at: field.datetime(),
  on: field.date(),
  around: field.time(),
  user_id: field.owner(),
};
const fileFields = { name: field.string({ max: 20 }), post: field.reference('Post') };

/** Everybody reads posts; notes are their owners', files are for callers with the permission. */
const resources = [
  defineResource('Post', {
    fields: postFields,
    publicRead: { where: { published: true } },
    ownership: true,
    relations: { notes: many('Note'), files: many('File') },
    auth: ['jwt', 'api_key'],
  }),
  defineResource('Note', { fields: noteFields, isolation: true, ownership: true, auth: ['jwt', 'api_key'] }),
  defineResource('File', { fields: fileFields, permissions: 'all' }),
];
const migrations: Migrations = {
  '0001_posts': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'posts', { fields: postFields });
      await createTable(db, dialect, 'notes', { fields: noteFields, references: { post: 'posts' } });
      await createTable(db, dialect, 'files', { fields: fileFields, references: { post: 'posts' } });
    },
  },
};

describeEachDatabase('related records at the edges', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  let [ann, ben]: TestUser[] = [];
  let post: Row;
  const note = {
    text: 'a\u0001b\u001f"\\\n日本🎉 ',
    data: { deep: [{ 'a b': null }, 1e21, 'x\u0001'] },
    price: '-0.050',
    at: '2026-02-28T23:59:59.999Z',
    on: '2024-02-29',
    around: '23:59:59',
  };

  const make = (token: TestUser | undefined, path: string, singular: string, body: object) =>
    service.ok<Row>('POST', `/api/v1/${path}`, { token, body: { [singular]: body } });
  const get = (path: string, options: RequestOptions = {}) =>
    service.request<Row>('GET', `/api/v1/${path}`, options);

  beforeAll(async () => {
    [ann, ben] = [await service.createUser(), await service.createUser()];
    post = await make(ann, 'posts', 'post', { title: 'One', editor: 'Eve', editor_id: ben?.id });
    await make(ann, 'notes', 'note', { post_id: post.id, ...note });
    await make(ben, 'notes', 'note', { post_id: post.id, text: 'of Ben' });
  });

  it('related records are those of a caller with good credentials, also where a record is public', async () => {
    const path = `posts/${post.id}?include=notes`;
    const texts = async (options: RequestOptions) =>
      ((await get(path, options)).data['notes'] as Row[]).map(({ text }) => text);
    expect(await texts({ token: ann })).toEqual([note.text]);
    expect(await texts({ token: ben })).toEqual(['of Ben']);
    expect(await texts({ key: (await service.createKey(ben as TestUser)).key })).toEqual(['of Ben']);
    const count = async (query: string, token?: TestUser) =>
      ((await get(`posts?page=1&${query}`, { token })).data as unknown as Row[]).length;
    expect(await count('filter[notes.text]=of Ben'.replace(' ', '%20'), ben)).toBe(1);
    expect(await count('filter[notes.text]=of%20Ben', ann)).toBe(0);
    // A stranger reads no notes, nor does a caller with wrong credentials; posts are read all the same.
    for (const options of [{}, { token: 'x.y.z' }, { key: 'gw_nothing' }]) {
      expect(await get(path, options)).toMatchObject({ status: 403, json: { code: 40300 } });
      expect((await get('posts?page=1&sort=user.name', options)).status).toBe(403);
      expect((await get(`posts/${post.id}`, options)).status).toBe(200);
    }
  });

  it('related records are named by names that are escaped without need', async () => {
    const plain = await get(`posts/${post.id}?include=notes`, { token: ann });
    const admin = await service.admin();
    await service.ok('POST', '/admin/roles', { token: admin, body: { role: { name: 'filer' } } });
    await service.ok('PUT', '/admin/permissions/filer/File/read', { token: admin });
    const filer = await service.createUser(['filer']);
    for (const name of ['%69nclude', 'inclu%64e', '%69%6E%63%6c%75%64%65']) {
      expect((await get(`posts/${post.id}?${name}=notes`, { token: ann })).text).toBe(plain.text);
      expect((await get(`posts/${post.id}?${name}=nothing`, { token: ann })).status).toBe(400);
      expect((await get(`posts/${post.id}?${name}=files`, { token: filer })).data['files']).toEqual([]);
      expect((await get(`posts?page=1&${name}=files`, { token: filer })).status).toBe(200);
      expect((await get(`posts?page=1&${name}=files`, { token: ann })).status).toBe(403);
    }
    for (const query of ['filter[files%2ename]=x', 'filter%5Bfiles%2Ename%5D=x', '%66ilter[files.name]=x'])
      expect((await get(`posts?${query}`, { token: filer })).status).toBe(200);
    expect((await get(`posts/${post.id}?field%73[notes]=id`, { token: ann })).status).toBe(400);
  });

  it('related records are refused under names that no relation has', async () => {
    const unusable = [
      '__proto__',
      'constructor',
      'toString',
      'editor',
      'editor_id',
      'title',
      'notes.user.roles.x',
    ];
    for (const name of unusable) {
      expect(await get(`posts/${post.id}?include=${name}`, { token: ann })).toMatchObject({ status: 400 });
      for (const query of [`filter[${name}.id]=1`, `sort=${name}.id`, `filter[notes.${name}]=x`])
        if (query !== 'filter[notes.title]=x')
          expect((await get(`posts?${query}`, { token: ann })).json.code, query).toBe(40007);
    }
    const twice = ['include=notes&include=notes', 'include=notes&fields[notes]=id&fields[notes]=id'];
    for (const query of twice)
      for (const path of [`posts/${post.id}?`, 'posts?page=1&'])
        expect((await get(path + query, { token: ann })).json.code, query).toBe(40006);
  });

  it('related records at the edges hold every kind of value as their own endpoint answers it', async () => {
    const { data } = await get(`posts/${post.id}?include=notes.post.notes`, { token: ann });
    const [found] = data['notes'] as Row[];
    const alone = await get(`notes/${found?.id}`, { token: ann });
    const { post: parent, ...rest } = found as Row & { post: Row };
    expect(JSON.stringify(rest)).toBe(JSON.stringify(alone.data));
    expect(rest).toMatchObject(note);
    expect(JSON.stringify((parent['notes'] as Row[])[0])).toBe(JSON.stringify(alone.data));
  });

  it('related records at the edges take no cursor of another kind of value, and none of another order', async () => {
    await make(ann, 'notes', 'note', { post_id: post.id, text: 'second' });
    const query = 'per_page=1&sort=post.title,-post.created_at,price';
    const page = await get(`notes?${query}&after=`, { token: ann });
    const next = new URL(/<([^>]+)>; rel="next"/.exec(String(page.headers['link']))?.[1] ?? '');
    const cursor = JSON.parse(
      Buffer.from(next.searchParams.get('after') ?? '', 'base64url').toString(),
    ) as unknown[];
    expect(cursor.slice(0, 2)).toEqual(['post.title,-post.created_at,price,id', 'One']);
    const after = (values: unknown[], by = query) =>
      get(`notes?${by}&after=${Buffer.from(JSON.stringify(values)).toString('base64url')}`, { token: ann });
    expect((await after(cursor)).status).toBe(200);
    for (const [index, value] of [
      [1, { a: 1 }],
      [1, 'x\0'],
      [1, '\ud800'],
      [2, 'yesterday'],
      [2, 5],
      [3, '1.0001'],
      [4, null],
      [4, 1.5],
    ] as const) {
      const { status } = await after(cursor.with(index, value));
      expect([index, value, status]).toEqual([index, value, 400]);
    }
    expect((await after(cursor.with(1, null))).status).toBe(200);
    expect((await after(cursor, 'per_page=1&sort=post.title,price')).status).toBe(400);
    expect((await after(cursor.slice(0, 4))).status).toBe(400);
  });

  it('related records are counted and tagged for a caller who asks for the head alone', async () => {
    const path = `/api/v1/posts/${post.id}?include=notes`;
    const full = await service.get(path, { token: ann });
    const head = await service.request('HEAD', path, { token: ann });
    expect([head.status, head.text, head.headers['etag']]).toEqual([200, '', full.headers['etag']]);
    const etag = String(full.headers['etag']);
    const known = { token: ann, headers: { 'if-none-match': etag } };
    expect((await service.get(path, known)).status).toBe(304);
    // Another caller's answer is another, whatever is known of mine.
    const other = await service.get(path, { ...known, token: ben });
    expect([other.status, other.headers['etag'] === etag]).toEqual([200, false]);
    const body = { post: { title: 'One' } };
    const changed = await service.request('PATCH', path, { token: ann, headers: { 'if-match': etag }, body });
    expect(changed.status).toBe(200);
    const late = await service.request('PATCH', path, { token: ann, headers: { 'if-match': etag }, body });
    expect(late.status).toBe(412);
  });
});
