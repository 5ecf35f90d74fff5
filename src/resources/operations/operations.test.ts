import { beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { applyMigrations } from '../../app/migrate.ts';
import { anonymous, type Principal } from '../../auth/principal.ts';
import { ConstraintError } from '../../database/database.ts';
import { databaseTarget } from '../../database/targets.ts';
import { field } from '../../fields/define.ts';
import { acceptedVersions } from '../../http/preconditions.ts';
import { ApplicationCode } from '../../kernel/application-code.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { createLanguages } from '../../kernel/messages/languages.ts';
import { EventLog } from '../../ledger/event-log.ts';
import { createIdempotency, type IdempotentRequest } from '../../ledger/idempotency.ts';
import { defineResource } from '../../model/define-resource.ts';
import { collectModels } from '../../model/models.ts';
import type { Action, HookPrincipal, ResourceModel } from '../../model/resource.ts';
import { decide } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { testUser } from '../../policy/test-user.ts';
import type { RecordStore } from '../../records/records.ts';
import { createTrash } from '../../records/trash/trash.ts';
import { apiAuth } from './area.ts';
import { translateError } from './prepare.ts';
import { remove } from './remove.ts';
import { create, createForRequest, update } from './save.ts';
import { createScopes } from './scope.ts';
import { type ServedResource, serveResource } from './served-resource.ts';
import { type Acting, hookPrincipal, runInTransaction, type SharedTransaction } from './transaction.ts';
import type { RecordWrite } from './writing.ts';

const now = Date.parse('2026-11-22T01:00:00.000Z');
const ann = { ...testUser(['clerk']), id: 1 };
const application: Principal = { kind: 'application', appId: 'shop', method: 'signature' };

interface HookCall {
  readonly action: string;
  readonly id: number | undefined;
  readonly values: JsonObject;
  readonly principal: HookPrincipal;
  readonly record?: JsonObject;
}

/** The calls of hooks, their behaviour in a test, and the reports about them. */
let before: HookCall[] = [];
let after: HookCall[] = [];
let reported: string[] = [];
let broken = false;
let entered: string[] = [];

const makers = { name: field.string({ unique: true }), user_id: field.owner() };
const items = {
  title: field.string({ required: true, max: 20 }),
  slug: field.string({ unique: true, label: { 'zh-CN': '短名', en: 'Short name' } }),
  price: field.integer({ min: 0 }),
  maker: field.reference('Maker'),
  preset: field.reference('Maker', { default: 1 }),
};
const maker = defineResource('Maker', { fields: makers, isolation: true });
const plain = defineResource('Plain', { fields: items });
const owned = defineResource('Owned', {
  fields: { title: field.string(), user_id: field.owner() },
  ownership: true,
});
const hooked = defineResource('Hooked', {
  fields: items,
  hooks: {
    beforeSave: ({ action, id, values, principal, addError }) => {
      before.push({ action, id, values: { ...values } as JsonObject, principal });
      if (values.title === 'throw') throw new Error('the hook broke');
      if (values.title === 'refuse') addError('slug', 'Short name: not today');
      if (values.title === 'free') values.price = -1;
      if (values.title === 'made') Object.assign(values, { maker_id: 3 });
    },
    afterCommit: ({ action, id, record, values, principal }) => {
      after.push({ action, id, record: record as JsonObject, values: values as JsonObject, principal });
      if (broken) throw new Error('afterwards');
    },
  },
});
const resources = [maker, plain, owned, hooked];
const models = collectModels(resources);

const showing = { auth: ['jwt', 'signature'], policy: ruleOf(maker, 'detail') } as const;
function ruleOf(model: ResourceModel, action: Action) {
  return { kind: 'resource', model, action, area: 'api' } as const;
}

/** The grant of a caller, who may name the makers that the endpoint of makers shows them. */
const grantOf = (model: ResourceModel, action: Action, principal: Principal = ann): Grant => {
  const references = new Map(['maker_id', 'preset_id'].map((name) => [name, showing]));
  const rule = { ...ruleOf(model, action), ...(model.fields.has('maker_id') && { references }) };
  const decision = decide(rule, principal);
  if (!decision.allowed) throw new Error('refused');
  return decision.grant;
};

const acting = (principal: Principal, shared: SharedTransaction | undefined): Acting => ({
  principal,
  area: { name: 'api', auth: apiAuth, users: showing },
  actor: () => ({ principal, address: null }),
  depth: 0,
  shared,
});

const writeOf = (
  resource: ServedResource,
  action: Action,
  principal: Principal = ann,
  shared?: SharedTransaction,
): RecordWrite => ({
  resource,
  grant: grantOf(resource.model, action, principal),
  acting: acting(principal, shared),
});

describeEachDatabase('operations', (databases) => {
  const setUp = async () => {
    const url = await databases.create();
    const { createTable } = await import('../../database/migrations/application-steps.ts');
    await applyMigrations(databaseTarget(url), {
      migrations: {
        '0001_tables': {
          up: async (db, dialect) => {
            await createTable(db, dialect, maker.table, { fields: makers });
            for (const { table } of [plain, hooked])
              await createTable(db, dialect, table, {
                fields: items,
                references: { maker: maker.table, preset: maker.table },
              });
            await createTable(db, dialect, owned.table, {
              fields: { title: field.string(), user_id: field.owner() },
            });
          },
        },
      },
    });
    const database = await databases.open(url);
    for (const name of ['ann', 'bob'])
      await database.execute({
        sql: `insert into users (username, username_canonical, email, email_canonical, name, password_hash, disabled,
            created_at, updated_at)
          values ('${name}', '${name}', '${name}', '${name}', '${name}', 'x', ${databases.dialect === 'sqlite' ? '0' : 'false'},
            '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
        parameters: [],
      });
    const context = {
      database,
      clock: () => now,
      locale: 'en' as const,
      languages: createLanguages({ locale: 'en', negotiated: false }),
      models,
      idempotency: createIdempotency({ database, clock: () => now }),
      code: new ApplicationCode(1_000, {
        enter: (name) => entered.push(name),
        suspend: () => {},
        leave: () => {},
      }),
      trash: createTrash(database),
      trashDays: 30,
      report: (error: unknown, what: string) => void reported.push(`${what}: ${String(error)}`),
      transactionLimit: 5_000,
      events: new EventLog(database),
      ownerEnds: () => Promise.resolve(),
      files: undefined,
      eventsCommitted: () => {},
      resourceOf: (): ServedResource => {
        throw new Error('nothing goes with another here');
      },
      forget: () => Promise.reject(new Error('nothing is forgotten here')),
      scopeOf: createScopes({
        database,
        clock: () => now,
        resources: new Map(),
        mail: { send: async () => {} },
        jobs: { add: () => Promise.reject(new Error('no jobs here')) },
        accounts: () => ({}),
        transactionLimit: 5_000,
      }),
    };
    const served = (model: ResourceModel): ServedResource => serveResource(model, context);
    const makersOf = served(maker);
    for (const [name, id] of [
      ['first', 1],
      ['second', 1],
      ['foreign', 2],
    ] as const)
      await makersOf.records.insert(grantOf(maker, 'create'), { name, user_id: id }, now);
    const count = async (model: ResourceModel): Promise<number> => {
      const row = await database.get<{ n: number }>({
        sql: `select count(*) as n from "${model.table}"`,
        parameters: [],
      });
      return Number(row?.n);
    };
    return { served, count, database, context };
  };

  const add = (
    resource: ServedResource,
    body: JsonObject,
    principal?: Principal,
    request?: IdempotentRequest,
  ) => createForRequest(writeOf(resource, 'create', principal), body, request, 'saved');
  const change = (resource: ServedResource, id: number, body: JsonObject, ifMatch?: string) =>
    update(
      writeOf(resource, 'update'),
      id,
      body,
      acceptedVersions({ header: (name) => (name === 'if-match' ? ifMatch : undefined) }),
    );
  const erase = (resource: ServedResource, id: number, ifMatch?: string) =>
    remove(
      writeOf(resource, 'destroy'),
      id,
      acceptedVersions({ header: (name) => (name === 'if-match' ? ifMatch : undefined) }),
    );
  const invalid = (...errors: readonly (readonly [string, string])[]) => ({
    problem: 'invalid_record',
    errors: errors.map(([name, rule]) => expect.objectContaining({ field: name, rule })),
  });

  /** A resource that another caller changes between the look-up and the write. */
  const overtaken = (resource: ServedResource, meanwhile: () => Promise<unknown>): ServedResource => {
    let first = true;
    const collisions: RecordStore['collisions'] = async (...args) => {
      const found = await resource.records.collisions(...args);
      if (first) await meanwhile();
      first = false;
      return found;
    };
    return { ...resource, records: { ...resource.records, collisions } };
  };

  beforeEach(() => {
    [before, after, reported, entered, broken] = [[], [], [], [], false];
  });

  describe('create', () => {
    it('answers the record in its view with its tag, and tells no hook where there is none', async () => {
      const { served } = await setUp();
      const { data, headers } = await add(served(plain), { title: 'A', slug: 'a', price: 1, maker_id: 1 });
      expect(JSON.parse(data)).toMatchObject({
        id: 1,
        title: 'A',
        slug: 'a',
        price: 1,
        maker_id: 1,
        preset_id: 1,
      });
      expect(headers).toEqual({ ETag: '"1-saved"' });
      expect(await served(plain).show(grantOf(plain, 'detail'), 1)).toMatchObject({ version: 1 });
      expect([before, after, reported]).toEqual([[], [], []]);
    });

    it('sets the owner that the policy names, whatever the body says', async () => {
      const { served } = await setUp();
      const sent = { title: 'A', user_id: 2 };
      expect(JSON.parse((await add(served(owned), sent)).data)).toMatchObject({ user_id: 1 });
      expect(JSON.parse((await add(served(owned), sent, application)).data)).toMatchObject({ user_id: null });
      const free = defineResource('Owned', { fields: { title: field.string(), user_id: field.owner() } });
      expect(JSON.parse((await add(served(free), sent)).data)).toMatchObject({ user_id: 2 });
    });

    it('says everything that is wrong at once, in the order of the fields', async () => {
      const { served, count } = await setUp();
      const resource = served(plain);
      await add(resource, { title: 'A', slug: 'a' });
      const body = { slug: 'a', maker_id: 99, price: -1, title: 'x'.repeat(21) };
      await expect(add(resource, body)).rejects.toMatchObject(
        invalid(['title', 'max_length'], ['slug', 'unique'], ['price', 'minimum'], ['maker_id', 'reference']),
      );
      await expect(add(resource, { title: 'B', slug: 'a' })).rejects.toMatchObject({
        errors: [{ field: 'slug', rule: 'unique', message: expect.stringContaining('Short name') }],
      });
      expect(await count(plain)).toBe(1);
    });

    it('lets a caller name what they see and nothing else; a default is checked for existence only', async () => {
      const { served } = await setUp();
      const resource = served(plain);
      await expect(add(resource, { title: 'A', maker_id: 3 })).rejects.toMatchObject(
        invalid(['maker_id', 'reference']),
      );
      await expect(add(resource, { title: 'A', maker_id: 1 }, application)).rejects.toMatchObject(
        invalid(['maker_id', 'reference']),
      );
      // The default, repeated or not, is the application's word; another value in its place is the caller's.
      for (const body of [{ title: 'A' }, { title: 'A', preset_id: 1 }])
        expect(JSON.parse((await add(resource, body, application)).data)).toMatchObject({ preset_id: 1 });
      await expect(add(resource, { title: 'A', preset_id: 2 }, application)).rejects.toMatchObject(
        invalid(['preset_id', 'reference']),
      );
    });

    it('says what was taken, or went, between the look-up and the write as if it had been found before', async () => {
      const { served, count } = await setUp();
      const resource = served(plain);
      const twin = overtaken(resource, () => add(resource, { title: 'A', slug: 'a' }));
      await expect(add(twin, { title: 'B', slug: 'a' })).rejects.toMatchObject(invalid(['slug', 'unique']));
      const orphan = overtaken(resource, () => erase(served(maker), 2));
      await expect(add(orphan, { title: 'C', maker_id: 2 })).rejects.toMatchObject(
        invalid(['maker_id', 'reference']),
      );
      expect(await count(plain)).toBe(1);
    });

    it('looks for nothing that only its own transaction has: the record within which it is written', async () => {
      const { served } = await setUp();
      const resource = served(plain);
      await add(resource, { title: 'A', slug: 'a' });
      const of = { model: 'Maker', field: 'maker_id', id: 999, level: 1 };
      const inner = { ...writeOf(resource, 'create'), of };
      const candidate = { columns: { title: 'B', slug: 'a', maker_id: 999 }, chosen: new Set<string>() };
      const taken = new ConstraintError('unique', ['slug'], new Error('taken'));
      expect(await translateError(inner, taken, candidate)).toMatchObject(invalid(['slug', 'unique']));
      const other = { ...inner, of: { ...of, id: 998 } };
      expect(await translateError(other, taken, candidate)).toMatchObject(
        invalid(['slug', 'unique'], ['maker_id', 'reference']),
      );
    });

    it('create is a conflict where the record in the way has gone again', async () => {
      const { served, database } = await setUp();
      const resource = served(plain);
      const blocked = overtaken(resource, () => add(resource, { title: 'A', slug: 'a' }));
      const gone: ServedResource = {
        ...blocked,
        records: { ...blocked.records, collisions: async () => [] },
      };
      await add(resource, { title: 'A', slug: 'a' });
      await expect(add(gone, { title: 'B', slug: 'a' })).rejects.toMatchObject({
        problem: 'conflict',
        cause: { kind: 'unique' },
      });
      await database.execute({ sql: `drop table "${plain.table}"`, parameters: [] });
      await expect(add(gone, { title: 'B' })).rejects.not.toMatchObject({ problem: expect.anything() });
    });
  });

  describe('create with an Idempotency-Key', () => {
    const request = { scope: 'ann create', fingerprint: 'A' };

    it('answers the same again and writes once', async () => {
      const { served, count } = await setUp();
      const resource = served(hooked);
      const first = await add(resource, { title: 'A', slug: 'a' }, ann, request);
      expect(first.headers).toEqual({ ETag: '"1-saved"' });
      expect(await add(resource, { title: 'A', slug: 'a' }, ann, request)).toMatchObject(first);
      expect([await count(hooked), before.length]).toEqual([1, 1]);
      await expect.poll(() => after.length).toBe(1);
      await expect(
        add(resource, { title: 'B' }, ann, { ...request, fingerprint: 'B' }),
      ).rejects.toMatchObject({
        problem: 'idempotency_conflict',
      });
    });

    it('keeps what a create answers: status, text and headers', async () => {
      const { served, context } = await setUp();
      const first = await add(served(plain), { title: 'A' }, ann, request);
      expect(await context.idempotency.find(request)).toMatchObject({ status: 201, ...first });
    });

    it('two creates at once with one Idempotency-Key write once, and get the same response', async () => {
      const { served, count } = await setUp();
      const resource = served(plain);
      let other: unknown;
      const body = { title: 'A' };
      const late = overtaken(resource, async () => {
        other = await add(resource, body, ann, request);
      });
      expect(await add(late, body, ann, request)).toMatchObject(other ?? {});
      expect(await count(plain)).toBe(1);
    });

    it('the second of two creates at once with one Idempotency-Key that collide gets the first one’s response', async () => {
      const { served, count } = await setUp();
      const resource = served(plain);
      let other: unknown;
      const body = { title: 'A', slug: 'a' };
      // The look-up of the second sees the record of the first already.
      const collisions: RecordStore['collisions'] = async (...args) => {
        other ??= await add(resource, body, ann, request);
        return resource.records.collisions(...args);
      };
      const late = { ...resource, records: { ...resource.records, collisions } };
      expect(await add(late, body, ann, request)).toMatchObject(other ?? {});
      expect(await count(plain)).toBe(1);
    });

    it('says what is wrong where nothing was written before, also where that cannot be looked up', async () => {
      const { served, context } = await setUp();
      const resource = served(plain);
      await expect(add(resource, { price: -1 }, ann, request)).rejects.toMatchObject(
        invalid(['title', 'required'], ['price', 'minimum']),
      );
      let calls = 0;
      const find: typeof context.idempotency.find = (asked) =>
        calls++ === 0 ? context.idempotency.find(asked) : Promise.reject(new Error('database away'));
      const away = { ...resource, context: { ...context, idempotency: { ...context.idempotency, find } } };
      await expect(add(away, { price: -1 }, ann, request)).rejects.toMatchObject({
        problem: 'invalid_record',
      });
      expect(calls).toBe(2);
    });
  });

  describe('update', () => {
    it('changes what was sent and raises the version', async () => {
      const { served } = await setUp();
      const resource = served(plain);
      await add(resource, { title: 'A', slug: 'a', price: 1 });
      const saved = await change(resource, 1, { price: 2 }, '"1-detail"');
      expect(saved).toMatchObject({ id: 1, version: 2 });
      expect(JSON.parse(saved.json)).toMatchObject({ title: 'A', slug: 'a', price: 2 });
      // Its own unique value is not in its way.
      expect(await change(resource, 1, { slug: 'a' })).toMatchObject({ version: 3 });
    });

    it('update is refused of another version, and of what is not there, before what is wrong with the body', async () => {
      const { served } = await setUp();
      for (const resource of [served(plain), served(hooked)]) {
        await add(resource, { title: 'A' });
        before = [];
        for (const body of [{ price: 1 }, { price: -1 }]) {
          await expect(change(resource, 1, body, '"2-detail"')).rejects.toMatchObject({ problem: 'stale' });
          await expect(change(resource, 9, body)).rejects.toMatchObject({ problem: 'record_not_found' });
          await expect(change(resource, 9, body, '"1-detail"')).rejects.toMatchObject({
            problem: 'record_not_found',
          });
        }
        expect(before).toEqual([]);
        await expect(change(resource, 1, { price: -1 }, '"1-detail"')).rejects.toMatchObject(
          invalid(['price', 'minimum']),
        );
        await expect(change(resource, 1, { price: -1 })).rejects.toMatchObject(invalid(['price', 'minimum']));
      }
    });

    it('update is refused like a create where somebody was quicker', async () => {
      const { served } = await setUp();
      const resource = served(plain);
      await add(resource, { title: 'A' });
      const twin = overtaken(resource, () => add(resource, { title: 'B', slug: 'b' }));
      await expect(change(twin, 1, { slug: 'b' })).rejects.toMatchObject(invalid(['slug', 'unique']));
    });

    it('lets a default be chosen by callers who see it only', async () => {
      const { served } = await setUp();
      const resource = served(plain);
      await add(resource, { title: 'A', preset_id: null });
      const asApplication = writeOf(resource, 'update', application);
      await expect(update(asApplication, 1, { preset_id: 1 }, undefined)).rejects.toMatchObject(
        invalid(['preset_id', 'reference']),
      );
      expect(await change(resource, 1, { preset_id: 1 })).toMatchObject({ version: 2 });
    });
  });

  describe('remove', () => {
    it('takes the named version, and reports a missing record', async () => {
      const { served, count } = await setUp();
      const resource = served(plain);
      await add(resource, { title: 'A' });
      await expect(erase(resource, 1, '"2-detail"')).rejects.toMatchObject({ problem: 'stale' });
      await expect(erase(resource, 9)).rejects.toMatchObject({ problem: 'record_not_found' });
      await erase(resource, 1, '"1-detail"');
      expect(await count(plain)).toBe(0);
      expect(after).toEqual([]);
    });

    it('remove is refused while something demands the record, and throws what else the database says', async () => {
      const { served, database } = await setUp();
      const resource = served(plain);
      await add(resource, { title: 'A' });
      await database.execute({
        sql: `create table held (plain_id ${databases.dialect === 'sqlite' ? 'integer' : 'bigint'} references "${plain.table}" (id))`,
        parameters: [],
      });
      await database.execute({ sql: 'insert into held values (1)', parameters: [] });
      await expect(erase(resource, 1)).rejects.toMatchObject({
        problem: 'still_referenced',
        cause: { kind: 'foreign_key' },
      });
      await database.execute({ sql: 'drop table held', parameters: [] });
      await database.execute({ sql: `drop table "${plain.table}"`, parameters: [] });
      await expect(erase(resource, 1)).rejects.not.toMatchObject({ problem: expect.anything() });
    });
  });

  describe('hooks', () => {
    const clerk = { kind: 'user', id: 1, username: 'ann', roles: ['clerk'] };

    it('hooks are called with the write, before it and after its commit', async () => {
      const { served } = await setUp();
      const resource = served(hooked);
      await add(resource, { title: 'A', price: 1 });
      await change(resource, 1, { price: 2 });
      await erase(resource, 1);
      await expect.poll(() => after.length).toBe(3);
      expect(before).toEqual([
        { action: 'create', id: undefined, values: { title: 'A', price: 1, preset_id: 1 }, principal: clerk },
        { action: 'update', id: 1, values: { price: 2 }, principal: clerk },
      ]);
      expect(after).toMatchObject([
        {
          action: 'create',
          id: 1,
          record: { id: 1, title: 'A' },
          values: { title: 'A', price: 1 },
          principal: clerk,
        },
        { action: 'update', id: 1, record: { price: 2 }, values: { price: 2 } },
        { action: 'destroy', id: 1, record: { title: 'A', price: 2 }, values: {} },
      ]);
      expect(after[2]?.values).toEqual({});
      expect(reported).toEqual([]);
      expect(entered).toEqual([
        'beforeSave of Hooked, create',
        'afterCommit of Hooked, create of 1',
        'beforeSave of Hooked, update',
        'afterCommit of Hooked, update of 1',
        'afterCommit of Hooked, destroy of 1',
      ]);
    });

    it('hooks have what they change validated, and their own refusals reported', async () => {
      const { served, count } = await setUp();
      const resource = served(hooked);
      await expect(add(resource, { title: 'free' })).rejects.toMatchObject(invalid(['price', 'minimum']));
      await add(resource, { title: 'A', slug: 'a' });
      // Its word comes before that the value is taken as well.
      await expect(add(resource, { title: 'refuse', slug: 'a' })).rejects.toMatchObject({
        problem: 'invalid_record',
        errors: [{ field: 'slug', rule: 'custom', message: 'Short name: not today' }],
      });
      // Refused already: the hook is not asked.
      before = [];
      await expect(add(resource, { title: 'x'.repeat(21) })).rejects.toMatchObject(
        invalid(['title', 'max_length']),
      );
      expect([before, await count(hooked)]).toEqual([[], 1]);
    });

    it('hooks that throw are the service’s failure; nothing is written', async () => {
      const { served, count } = await setUp();
      await expect(add(served(hooked), { title: 'throw' })).rejects.toMatchObject({ problem: 'internal' });
      expect(await count(hooked)).toBe(0);
    });

    it('hooks may name what the caller could not: that is the application’s word', async () => {
      const { served } = await setUp();
      const { data } = await add(served(hooked), { title: 'made', maker_id: 1 });
      expect(JSON.parse(data)).toMatchObject({ maker_id: 3 });
      await expect(add(served(hooked), { title: 'A', maker_id: 3 })).rejects.toMatchObject(
        invalid(['maker_id', 'reference']),
      );
    });

    it('hooks that fail after the commit are reported, with what failed', async () => {
      const { served, count } = await setUp();
      broken = true;
      await add(served(hooked), { title: 'A' });
      await expect.poll(() => reported).toEqual(['afterCommit of Hooked 1: Error: afterwards']);
      expect(await count(hooked)).toBe(1);
    });
  });
  describe('in one transaction', () => {
    /** Creates, changes and removes in one transaction. */
    const all = async (resource: ServedResource, shared: SharedTransaction, request?: IdempotentRequest) => {
      const creating = writeOf(resource, 'create', ann, shared);
      const made = await createForRequest(creating, { title: 'C', slug: 'c' }, request, 'saved');
      await update(writeOf(resource, 'update', ann, shared), 1, { title: 'A2' }, [1]);
      await remove(writeOf(resource, 'destroy', ann, shared), 2, undefined);
      return made;
    };
    const stage = async () => {
      const it = await setUp();
      const resource = it.served(hooked);
      await add(resource, { title: 'A', slug: 'a' });
      await add(resource, { title: 'B', slug: 'b' });
      await expect.poll(() => after.length).toBe(2);
      after = [];
      const titles = async () => {
        const rows = await it.database.all<{ title: string }>({
          sql: `select title from "${hooked.table}" order by id`,
          parameters: [],
        });
        return rows.map(({ title }) => title);
      };
      return { ...it, resource, titles };
    };

    it('operations in one transaction are written all or not at all, and hooks hear of them once they are durable', async () => {
      const { resource, database, titles } = await stage();
      const given = new Error('given up');
      const failing = runInTransaction(database, async (shared) => {
        await all(resource, shared);
        throw given;
      });
      await expect(failing).rejects.toBe(given);
      expect(await titles()).toEqual(['A', 'B']);
      await runInTransaction(database, async (shared) => {
        await all(resource, shared);
        expect(after).toEqual([]);
      });
      expect(await titles()).toEqual(['A2', 'C']);
      await expect
        .poll(() => after.map(({ action, id }) => [action, id]))
        .toEqual([
          ['create', expect.any(Number)],
          ['update', 1],
          ['destroy', 2],
        ]);
    });

    it('operations in one transaction tell hooks once where the transaction had to run again', async () => {
      const { resource, database } = await stage();
      const again: typeof database.write = async (unit, table) => {
        const conflict = new Error('conflict');
        const first = database.write(async (transaction) => {
          await unit(transaction);
          throw conflict;
        }, table);
        await expect(first).rejects.toBe(conflict);
        return database.write(unit, table);
      };
      await runInTransaction({ ...database, write: again } as typeof database, (shared) =>
        all(resource, shared),
      );
      await expect.poll(() => after.length).toBe(3);
      expect(after.map(({ action }) => action)).toEqual(['create', 'update', 'destroy']);
    });

    it('operations in one transaction see what the others wrote: a value that was taken in it is taken, and one that was freed is free', async () => {
      const { resource, database, titles } = await stage();
      const twice = runInTransaction(database, async (shared) => {
        await create(writeOf(resource, 'create', ann, shared), { title: 'C', slug: 'c' });
        await create(writeOf(resource, 'create', ann, shared), { title: 'D', slug: 'c' });
      });
      await expect(twice).rejects.toMatchObject(invalid(['slug', 'unique']));
      expect(await titles()).toEqual(['A', 'B']);
      await runInTransaction(database, async (shared) => {
        await remove(writeOf(resource, 'destroy', ann, shared), 1, undefined);
        await create(writeOf(resource, 'create', ann, shared), { title: 'C', slug: 'a' });
        const gone = update(writeOf(resource, 'update', ann, shared), 1, { title: 'x' }, undefined);
        await expect(gone).rejects.toMatchObject({ problem: 'record_not_found' });
      });
      expect(await titles()).toEqual(['B', 'C']);
    });

    it('operations in one transaction keep the answer of an idempotent create with all that belongs to it', async () => {
      const { resource, database, titles } = await stage();
      const request = { scope: 's', fingerprint: 'f' };
      const first = await runInTransaction(database, (shared) => all(resource, shared, request));
      expect(await add(resource, { title: 'C', slug: 'c' }, ann, request)).toMatchObject(first);
      expect(await titles()).toEqual(['A2', 'C']);
    });
  });
});

it('hooks receive the identity of the caller, and nothing more', () => {
  expect(hookPrincipal({ principal: ann })).toEqual({
    kind: 'user',
    id: 1,
    username: 'ann',
    roles: ['clerk'],
  });
  expect(hookPrincipal({ principal: application })).toEqual({ kind: 'application', appId: 'shop' });
  expect(hookPrincipal({ principal: ann, reason: 'stock' })).toEqual({ kind: 'system', reason: 'stock' });
  expect(hookPrincipal({ principal: anonymous })).toEqual({ kind: 'nobody' });
});
