import { afterAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type EventStream, openStream } from '../../support/event-stream.ts';
import { type RequestOptions, type TestUser, useService } from '../../support/service.ts';

/** Public reads that show signed-in callers their own records too: `publicRead: { where, orOwn: true }`. */

const fields = {
  title: field.string({ required: true, max: 20 }),
  live: field.boolean({ default: false }),
  user_id: field.owner(),
};
const rules = {
  isolation: true,
  ownership: true,
  history: true,
  events: true,
  auth: ['jwt', 'signature'],
} as const;
const story = defineResource('Story', {
  fields,
  plural: 'stories',
  ...rules,
  publicRead: { where: { live: true }, orOwn: true },
});
/** Its reads ask the permission table: for what is not published. */
const paper = defineResource('Paper', {
  fields,
  ...rules,
  permissions: 'all',
  publicRead: { where: { live: true }, orOwn: true },
});
/** The contract's own rule: only published records, for everybody. */
const flyer = defineResource('Flyer', { fields, ...rules, publicRead: { where: { live: true } } });
const remarkFields = { story: field.reference('Story'), text: field.string({ max: 20 }) };
const remark = defineResource('Remark', { fields: remarkFields, auth: ['jwt', 'signature'] });

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      for (const table of ['stories', 'papers', 'flyers']) await createTable(db, dialect, table, { fields });
      await createTable(db, dialect, 'remarks', { fields: remarkFields, references: { story: 'stories' } });
    },
  },
};

interface Shown {
  readonly id: number;
  readonly title: string;
}

describeEachDatabase('publicRead with orOwn', (databases) => {
  const service = useService(databases, {
    application: { resources: [story, paper, flyer, remark], migrations },
    apps: ['shop'],
  });
  const streams: EventStream[] = [];
  afterAll(() => {
    for (const stream of streams) stream.close();
  });

  const setUp = async (path = 'stories') => {
    const [ann, ben, root] = [await service.createUser(), await service.createUser(), await service.admin()];
    const singular = path === 'stories' ? 'story' : path.slice(0, -1);
    // Straight past the permission check, which is not what this is about.
    const create = (title: string, owner: TestUser, live: boolean) =>
      service.ok<Shown>('POST', `/admin/records/${path}`, {
        token: root,
        body: { [singular]: { title, live, user_id: owner.id } },
      });
    const mark = `${ann.username} `;
    const made = {
      draft: await create(`${mark}draft`, ann, false),
      public: await create(`${mark}public`, ann, true),
      foreign: await create(`${mark}foreign`, ben, false),
    };
    const titles = async (caller: RequestOptions): Promise<string[]> => {
      const filter = `filter[title][starts_with]=${encodeURIComponent(mark)}`;
      const list = await service.ok<Shown[]>('GET', `/api/v1/${path}?${filter}`, caller);
      return list.map(({ title }) => title.slice(mark.length));
    };
    return { ann, ben, root, made, mark, titles };
  };

  it('shows published records to anybody, and signed-in callers what isolation grants them', async () => {
    const { ann, ben, root, titles, made } = await setUp();
    expect(await titles({})).toEqual(['public']);
    expect(await titles({ token: 'not a token' })).toEqual(['public']);
    expect(await titles({ token: ann })).toEqual(['draft', 'public']);
    expect(await titles({ token: ben })).toEqual(['public', 'foreign']);
    expect(await titles({ token: root })).toEqual(['draft', 'public', 'foreign']);
    expect(await titles({ headers: service.sign('shop', '') })).toEqual(['public']);
    // A method that the model does not take counts as none.
    const { key } = await service.createKey(ann);
    expect(await titles({ key })).toEqual(['public']);
    const status = async (caller: RequestOptions) =>
      (await service.get(`/api/v1/stories/${made.draft.id}`, caller)).status;
    expect([await status({}), await status({ token: ann }), await status({ token: ben })]).toEqual([
      404, 200, 404,
    ]);
  });

  it('leaves the contract’s rule alone where it is not said', async () => {
    const { ann, root, titles } = await setUp('flyers');
    for (const caller of [{}, { token: ann }, { token: root }])
      expect(await titles(caller)).toEqual(['public']);
  });

  it('asks the read check for what is not published', async () => {
    const { ann, titles } = await setUp('papers');
    expect(await titles({ token: ann })).toEqual(['public']);
    const token = await service.admin();
    await service.ok('PUT', '/admin/permissions/viewer/Paper/read', { token });
    expect(await titles({ token: ann })).toEqual(['draft', 'public']);
    await service.ok('DELETE', '/admin/permissions/viewer/Paper/read', { token });
  });

  it('holds in counts, aggregates, CSV, includes, filters across relations and references', async () => {
    const { ann, ben, made, mark } = await setUp();
    const filter = `filter[title][starts_with]=${encodeURIComponent(mark)}`;
    const total = async (caller: RequestOptions) =>
      (await service.get(`/api/v1/stories?${filter}&page=1`, caller)).headers['x-total-count'];
    expect([await total({}), await total({ token: ann })]).toEqual(['1', '2']);
    const counted = async (caller: RequestOptions) =>
      (await service.ok<{ count: number }[]>('GET', `/api/v1/stories/aggregate?count&${filter}`, caller))[0]
        ?.count;
    expect([await counted({}), await counted({ token: ann }), await counted({ token: ben })]).toEqual([
      1, 2, 2,
    ]);
    const csv = await service.get(`/api/v1/stories?${filter}`, {
      token: ann,
      headers: { accept: 'text/csv' },
    });
    expect(csv.text.trim().split('\n')).toHaveLength(3);
    const about = await service.post<{ id: number }>('/api/v1/remarks', {
      token: ann,
      body: { remark: { story_id: made.draft.id } },
    });
    expect(about.status).toBe(201);
    const foreign = { remark: { story_id: made.foreign.id } };
    expect((await service.post('/api/v1/remarks', { token: ann, body: foreign })).status).toBe(422);
    const path = `/api/v1/remarks/${about.data.id}?include=story`;
    const included = async (token: TestUser) => (await service.get(path, { token })).data['story'];
    expect(await included(ann)).toMatchObject({ id: made.draft.id });
    expect(await included(ben)).toBeNull();
    const across = async (token: TestUser) =>
      (
        await service.ok<unknown[]>(
          'GET',
          `/api/v1/remarks?filter[id]=${about.data.id}&filter[story.live]=false`,
          {
            token,
          },
        )
      ).length;
    expect([await across(ann), await across(ben)]).toEqual([1, 0]);
  });

  it('holds in history and in streams of events', async () => {
    const { ann, ben, root, made } = await setUp();
    const history = async (caller: RequestOptions) =>
      (await service.get(`/api/v1/stories/${made.draft.id}/history`, caller)).status;
    expect([await history({ token: ann }), await history({ token: ben })]).toEqual([200, 404]);
    const follow = async ({ token }: TestUser) => {
      const stream = await openStream(`${service.origin}/api/v1/changes?models=Story`, {
        authorization: `Bearer ${token}`,
      });
      streams.push(stream);
      return stream;
    };
    const [hers, his] = [await follow(ann), await follow(ben)];
    const change = (id: number) =>
      service.ok('PATCH', `/admin/records/stories/${id}`, {
        token: root,
        body: { story: { title: 'changed' } },
      });
    await change(made.draft.id);
    await change(made.public.id);
    expect((await hers.until(2)).map(({ id }) => id)).toEqual([made.draft.id, made.public.id]);
    expect((await his.until(1)).map(({ id }) => id)).toEqual([made.public.id]);
  });

  it('publicRead with orOwn is shown in explanation, description and metadata', async () => {
    const { ann, ben, root, made } = await setUp();
    const explained = async (user: TestUser) =>
      service.ok<{ status: number; steps: { rule: string; outcome: string }[] }>(
        'GET',
        `/admin/explain?user_id=${user.id}&method=GET&path=/api/v1/stories/${made.draft.id}`,
        { token: root },
      );
    const [hers, his] = [await explained(ann), await explained(ben)];
    expect([hers.status, his.status]).toEqual([200, 404]);
    expect(hers.steps).toContainEqual(expect.objectContaining({ rule: 'isolation', outcome: 'narrowed' }));
    const { paths } = JSON.parse((await service.get('/api-docs/openapi.json')).text) as {
      paths: Record<string, { get: { security: object[]; description: string; 'x-gatewright': object } }>;
    };
    const list = paths['/api/v1/stories']?.get;
    expect(list?.security).toEqual([{}, { jwt: [] }, { appId: [], timestamp: [], signature: [] }]);
    expect(list?.['x-gatewright']).toMatchObject({
      access: 'public',
      published: { live: true },
      or_own: true,
    });
    expect(list?.description).toContain('`user_id`');
    expect(paths['/api/v1/flyers']?.get.security).toEqual([]);
    const meta = await service.ok<{ isolation: { read: string } }>('GET', '/api/v1/meta/Story?lang=en', {
      token: ann,
    });
    expect(meta.isolation.read).toContain('`live`');
  });
});
