import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { join, literal, sql, statement } from '../../src/database/statement.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { own } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const paperFields = {
  title: field.string({ required: true, max: 40 }),
  secret: field.string({ max: 40 }),
  user_id: field.owner(),
};
const caseFields = { title: field.string({ required: true, max: 40 }), cost: field.integer() };
const plainFields = { name: field.string({ required: true, max: 40 }) };

/** Row rule, conditional and restricted fields, and a trash. */
const paper = defineResource('Paper', {
  fields: paperFields,
  ownership: true,
  isolation: { read: own(), write: own() },
  restricted: ['secret'],
  views: { detail: ['id', 'title'], when: [[own(), ['secret']]] },
  events: true,
  trash: true,
});
/** Reads ask the permission table, in which an admin may have no grant. */
const secretCase = defineResource('Case', { fields: caseFields, permissions: 'all', events: true });
const silent = defineResource('Silent', { fields: plainFields });

const migrations: Migrations = {
  '0001_activity': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'papers', { fields: paperFields });
      await createTable(db, dialect, 'cases', { fields: caseFields });
      await createTable(db, dialect, 'silents', { fields: plainFields });
    },
  },
};

interface ActivityEvent {
  readonly number: number;
  readonly model: string;
  readonly id: number;
  readonly action: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly fields: readonly string[];
}

interface Activity {
  readonly events: readonly ActivityEvent[];
  readonly next: string | null;
  readonly kept_days: number;
}

const paths: Readonly<Record<string, string>> = { Paper: 'papers', Case: 'cases' };

describeEachDatabase('/admin/activity', (databases) => {
  const service = useService(databases, {
    application: { resources: [paper, secretCase, silent], migrations },
  });
  let root: TestUser;
  /** An administrator without a grant to read cases. */
  let narrow: TestUser;
  /** An administrator with that grant. */
  let wide: TestUser;
  let ann: TestUser;

  const activity = (query = '', token = root): Promise<Activity> =>
    service.ok<Activity>('GET', `/admin/activity${query}`, { token });
  const shown = ({ events }: Activity) =>
    events.map(({ model, id, action, fields }) => [model, id, action, fields]);
  const create = async (path: string, name: string, values: object, token = root): Promise<number> =>
    (
      await service.ok<{ id: number }>('POST', `/admin/records/${path}`, {
        token,
        body: { [name]: values },
      })
    ).id;

  beforeAll(async () => {
    root = await service.admin();
    await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: 'reader' } } });
    await service.ok('PUT', '/admin/permissions/reader/Case/read', { token: root });
    narrow = await service.createUser(['admin']);
    wide = await service.createUser(['admin', 'reader']);
    ann = await service.createUser();
  });

  describe('what an administrator sees', () => {
    let paperId = 0;
    let caseId = 0;

    beforeAll(async () => {
      const { id } = await service.ok<{ id: number }>('POST', '/api/v1/papers', {
        token: ann,
        body: { paper: { title: 'draft' } },
      });
      paperId = id;
      await service.ok('PATCH', `/admin/records/papers/${id}`, {
        token: narrow,
        body: { paper: { secret: 'known' } },
      });
      caseId = await create('cases', 'case', { title: 'one', cost: 5 });
      await service.ok('PATCH', `/admin/records/cases/${caseId}`, {
        token: root,
        body: { case: { cost: 6 } },
      });
      await create('silents', 'silent', { name: 'unheard' });
    });

    it('the activity has the latest change first, with its author and the changed fields, and names the days of keeping', async () => {
      const all = await activity();
      expect(shown(all)).toEqual([
        ['Case', caseId, 'update', ['cost']],
        ['Case', caseId, 'create', ['title', 'cost']],
        ['Paper', paperId, 'update', ['secret']],
        ['Paper', paperId, 'create', ['title', 'user_id']],
      ]);
      expect(all).toMatchObject({ next: null, kept_days: 30 });
      expect(all.events.map(({ actor }) => actor.name)).toEqual([
        root.username,
        root.username,
        narrow.username,
        ann.username,
      ]);
    });

    it('the activity has no event of a model whose records the administrator may not read, and no number of them', async () => {
      const models = (await activity('', narrow)).events.map(({ model }) => model);
      expect(models).toEqual(['Paper', 'Paper']);
      expect(await activity('?model=Case', narrow)).toMatchObject({ events: [], next: null });
      expect((await activity('?model=cases', wide)).events).toHaveLength(2);
    });

    it('never has a record or a field beyond those that the records of the administration area show', async () => {
      for (const reader of [root, narrow, wide]) {
        const { events } = await activity('', reader);
        expect(events.length).toBeGreaterThan(1);
        for (const { model, id, fields } of events) {
          const path = `/admin/records/${paths[model]}/${id}`;
          const record = await service.ok<Readonly<Record<string, unknown>>>('GET', path, { token: reader });
          expect(Object.keys(record)).toEqual(expect.arrayContaining([...fields]));
        }
      }
    });

    it('forgets the earlier events of a deleted record, and shows its deletion to readers of the model only', async () => {
      const gone = await create('cases', 'case', { title: 'gone' });
      await service.ok('DELETE', `/admin/records/cases/${gone}`, { token: root });
      expect(shown(await activity('?model=Case&per_page=1'))).toEqual([['Case', gone, 'destroy', []]]);
      expect(
        (await activity()).events.filter(({ id, model }) => model === 'Case' && id === gone),
      ).toHaveLength(1);
      expect((await activity('', narrow)).events.map(({ model }) => model)).toEqual(['Paper', 'Paper']);
    });

    it('treats a record in the trash as deleted, until it is restored', async () => {
      const lost = await create('papers', 'paper', { title: 'lost' });
      const ofLost = async () =>
        (await activity('?model=Paper')).events.filter(({ id }) => id === lost).map(({ action }) => action);
      await service.ok('DELETE', `/admin/records/papers/${lost}`, { token: root });
      expect(await ofLost()).toEqual(['destroy']);
      await service.ok('POST', `/admin/records/papers/${lost}/restore`, { token: root });
      expect(await ofLost()).toContain('create');
    });
  });

  describe('filters and pages', () => {
    it('filters by user, model and action', async () => {
      expect((await activity(`?user_id=${ann.id}`)).events.map(({ actor }) => actor.id)).toEqual([
        String(ann.id),
      ]);
      expect((await activity(`?user_id=${narrow.id}&action=update`)).events).toHaveLength(1);
      expect((await activity(`?user_id=${narrow.id}&action=create`)).events).toEqual([]);
      const created = (await activity('?action=create&model=Paper')).events;
      expect(new Set(created.map(({ model, action }) => `${model} ${action}`))).toEqual(
        new Set(['Paper create']),
      );
    });

    it('filters by time', async () => {
      const { events } = await activity();
      const middle = events[2]?.at ?? '';
      const since = (await activity(`?since=${encodeURIComponent(middle)}`)).events;
      const until = (await activity(`?until=${encodeURIComponent(middle)}`)).events;
      expect(since.every(({ at }) => at >= middle)).toBe(true);
      expect(until.every(({ at }) => at < middle)).toBe(true);
      expect(since.length + until.length).toBe(events.length);
      expect((await activity('?since=2099-01-01')).events).toEqual([]);
      expect((await activity('?until=2001-01-01')).events).toEqual([]);
    });

    it('the activity has every event once on pages of any size', async () => {
      const { events } = await activity();
      for (const size of [1, 2, 3]) {
        const read: number[] = [];
        let after = '';
        for (let page = 0; page <= events.length; page += 1) {
          const { events: part, next } = await activity(`?per_page=${size}${after}`);
          expect(part.length).toBeLessThanOrEqual(size);
          read.push(...part.map(({ number }) => number));
          if (next === null) break;
          after = `&after=${next}`;
        }
        expect(read).toEqual(events.map(({ number }) => number));
      }
    });

    it('finds a change behind many others in bounded steps', async () => {
      const { database } = service.server.services;
      const { dialect } = database;
      const values = join([
        ...[literal('Paper'), literal(999_999), literal(2), literal('update')],
        dialect.cast(literal(new Date().toISOString()), 'timestamp'),
        ...[literal('nobody'), dialect.cast(literal('[]'), 'json')],
      ]);
      const insert = statement(
        dialect,
        () => sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 120000)
          insert into gatewright_events (model, record_id, version, action, at, actor_kind, fields) select ${values} from n`,
      );
      await database.write((transaction) => transaction.run(insert({})));
      const query = `?user_id=${ann.id}`;
      const first = await activity(query);
      expect(first.events).toEqual([]);
      expect(first.next).not.toBeNull();
      const second = await activity(`${query}&after=${first.next}`);
      expect(second.events.map(({ actor }) => actor.id)).toEqual([String(ann.id)]);
      expect(second.next).toBeNull();
    });
  });

  it.each([
    'per_page=0',
    'per_page=201',
    'per_page=x',
    'after=-1',
    'after=',
    'model=Silent',
    'model=Nothing',
    'action=read',
    'user_id=me',
    'since=yesterday',
    'until=',
    'sort=id',
    'model=Case&model=Paper',
    'filter[model]=Case',
  ])('refuses the query %s', async (query) => {
    const { status, json } = await service.request('GET', `/admin/activity?${query}`, { token: root });
    expect([status, json.code]).toEqual([400, 40006]);
  });

  it('the activity is for administrators only', async () => {
    expect((await service.request('GET', '/admin/activity')).status).toBe(401);
    expect((await service.request('GET', '/admin/activity', { token: ann })).status).toBe(403);
  });
});
