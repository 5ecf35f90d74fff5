import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { useService } from '../../support/service.ts';
import { createCallers, grantEntries, type TableCaller } from './callers.ts';
import type { Combination } from './combinations.ts';

/**
 * A reference may name what its sender may read, and nothing else exists for them: a write is refused for a reference
 * exactly when the detail of the record that it names, asked for with the same credentials, is not answered. The oracle
 * is that very request, so nothing is known here of why somebody may read.
 */

const ways = [['jwt'], ['jwt', 'api_key'], ['api_key', 'signature'], ['signature']] as const;
const either = [false, true];
const targetFields = {
  title: field.string(),
  published: field.boolean({ default: false }),
  user_id: field.owner(),
};

const base: Combination['switches'] = {
  views: false,
  permissions: 'none',
  isolation: false,
  ownership: false,
  restricted: false,
  publicRead: false,
  methods: undefined,
};

/** Every way in which a record can be kept from a caller. */
const targets = ways
  .flatMap((detail) =>
    either.flatMap((isolation) =>
      either.flatMap((publicRead) =>
        (['none', 'all'] as const).map((permissions) => ({ detail, isolation, publicRead, permissions })),
      ),
    ),
  )
  .map(({ detail, isolation, publicRead, permissions }, number) => {
    const model = defineResource(`Target${number}`, {
      fields: targetFields,
      singular: `target_${number}`,
      plural: `targets_${number}`,
      isolation,
      ...(permissions === 'all' ? { permissions } : {}),
      ...(publicRead ? { publicRead: { where: { published: true } } } : {}),
      auth: { detail },
    });
    const name = `t${number}_id`;
    return { name, model, definition: field.reference(model.name), switches: { ...base, permissions } };
  });

const pointerFields = {
  title: field.string(),
  ...Object.fromEntries(targets.map(({ name, definition }) => [name, definition])),
  person_id: field.reference('User'),
  anybody_id: field.reference('User', { anyone: true }),
  anything_id: field.reference('Target4', { anyone: true }),
  user_id: field.owner(),
};
const everybody = ['jwt', 'api_key', 'signature'] as const;

/** All fields are shown, so that what stands in a record may be sent back. */
const pointer = defineResource('Pointer', { fields: pointerFields, auth: everybody });
/** No reference is shown: to accept the one that stands there would tell it. */
const blind = defineResource('Blind', {
  fields: pointerFields,
  plural: 'blinds',
  views: { detail: ['id', 'title'] },
  auth: everybody,
});
/** Shown by the detail only, and that to the owner, by token. */
const narrow = defineResource('Narrow', {
  fields: pointerFields,
  plural: 'narrows',
  views: { saved: ['id'], list: ['id'] },
  auth: { ...Object.fromEntries(['create', 'update'].map((action) => [action, everybody])), detail: ['jwt'] },
});
const pointers = [pointer, blind, narrow];

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      for (const { model } of targets) await createTable(db, dialect, model.table, { fields: targetFields });
      const references = Object.fromEntries(
        [...targets, { name: 'anything_id', model: targets[4]?.model }].map(({ name, model }) => [
          name,
          model?.table ?? '',
        ]),
      );
      for (const { table } of pointers)
        await createTable(db, dialect, table, { fields: pointerFields, references });
    },
  },
};

const missing = 99;
const ids = [1, 2, 3, 4, 5, 6, missing] as const;
const names = targets.map(({ name }) => name);

interface Refused {
  readonly data?: { readonly errors: readonly { field: string; rule: string; message: string }[] };
}

describeEachDatabase('what a reference may name', (databases) => {
  const service = useService(databases, {
    application: { resources: [...targets.map(({ model }) => model), ...pointers], migrations },
    apps: ['shop'],
    env: { LOG_LEVEL: 'warn', API_DOCS: 'off' },
  });
  const callers: TableCaller[] = [];
  let people: number[] = [];
  let adminToken = '';
  /** `caller field id`, for what a detail was answered. */
  const readable = new Set<string>();

  const ask = async (caller: TableCaller, method: 'GET' | 'POST' | 'PATCH', path: string, body = '') => {
    const headers = {
      ...caller.headers(body),
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
    };
    return service.server.inject({ method, path, headers, ...(body === '' ? {} : { body }) });
  };

  const pathOf = (name: string, id: number): string => `/api/v1/targets_${name.slice(1, -3)}/${id}`;

  const insertTarget = async (table: string, id: number, owner: number | null, published: boolean) => {
    const text = service.dialect === 'postgres' ? ' overriding system value' : '';
    await service.server.services.database.execute({
      sql: `insert into "${table}" ("id", "user_id", "published", "created_at", "updated_at")${text}
        values (${id}, ${owner ?? 'null'}, ${service.dialect === 'postgres' ? published : Number(published)},
          '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z')`,
      parameters: [],
    });
  };

  const userIds = async (caller: TableCaller): Promise<readonly number[]> => {
    const { status, text } = await ask(caller, 'GET', '/api/v1/users');
    return status === 200 ? (JSON.parse(text) as { data: { id: number }[] }).data.map(({ id }) => id) : [];
  };

  beforeAll(async () => {
    adminToken = (await service.admin()).token;
    await grantEntries(
      service,
      targets.map(({ model, switches }) => ({
        name: model.name,
        model,
        switches,
        badBodies: false,
        acceptsAll: false,
      })),
    );
    const all = await createCallers(service, 'shop');
    // The others are refused before any reference is looked at.
    for (const caller of all)
      if ((await ask(caller, 'POST', '/api/v1/pointers', '{"pointer":{}}')).status === 201)
        callers.push(caller);
    expect(callers.length).toBeGreaterThan(10);
    const viewer = callers.find(({ name }) => name === 'viewer by token')?.owner ?? null;
    const editor = callers.find(({ name }) => name === 'editor by token')?.owner ?? null;
    people = [...new Set(callers.flatMap(({ owner }) => owner ?? []))];
    for (const { model } of targets)
      for (const [index, owner] of [viewer, viewer, editor, editor, null, null].entries())
        await insertTarget(model.table, index + 1, owner, index % 2 === 0);
    for (const caller of callers) {
      for (const name of names)
        for (const id of ids)
          if ((await ask(caller, 'GET', pathOf(name, id))).status === 200)
            readable.add(`${caller.name} ${name} ${id}`);
      for (const id of await userIds(caller)) readable.add(`${caller.name} person_id ${id}`);
    }
    // The oracle knows something, and not everything.
    const most = callers.length * names.length * (ids.length - 1);
    expect(readable.size).toBeGreaterThan(most / 5);
    expect(readable.size).toBeLessThan((most * 4) / 5);
  }, 240_000);

  const selection = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...ids), { maxKeys: 8 });
  const anyPerson = fc.nat().map((index) => people[index % people.length] ?? missing);
  const body = fc
    .tuple(
      selection,
      fc.option(anyPerson),
      fc.option(fc.oneof(anyPerson, fc.constant(100_000))),
      fc.option(fc.constantFrom(...ids)),
    )
    .map(([named, person, anybody, anything]) => ({
      ...named,
      ...(person === null ? {} : { person_id: person }),
      ...(anybody === null ? {} : { anybody_id: anybody }),
      ...(anything === null ? {} : { anything_id: anything }),
    }));
  const anyCaller = fc.nat().map((index) => callers[index % callers.length]);

  const isMissing = (name: string, id: number): boolean =>
    name === 'anybody_id' ? !people.includes(id) : id === missing;

  /** Fields that the oracle refuses, in order. */
  const refusedBy = (caller: TableCaller, values: Readonly<Record<string, number>>): string[] =>
    Object.keys(pointerFields).filter((name) => {
      const id = values[name];
      if (id === undefined) return false;
      return name.startsWith('any') ? isMissing(name, id) : !readable.has(`${caller.name} ${name} ${id}`);
    });

  const refusedFields = (text: string): string[] =>
    ((JSON.parse(text) as Refused).data?.errors ?? []).map(({ field: name, rule }) => {
      expect(rule).toBe('reference');
      return name;
    });

  it('a reference may name on create what the same caller is shown, by every rule and method', {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(anyCaller, body, fc.constantFrom(...pointers), async (caller, values, model) => {
        if (caller === undefined) return;
        const wanted = refusedBy(caller, values);
        const sent = JSON.stringify({ [model.singular]: values });
        const { status, text } = await ask(caller, 'POST', `/api/v1/${model.path}`, sent);
        expect([caller.name, status, status === 422 ? refusedFields(text) : []]).toEqual([
          caller.name,
          wanted.length === 0 ? 201 : 422,
          wanted,
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('a reference may name on update that too, and what the caller reads in the record already', {
    timeout: 240_000,
  }, async () => {
    const insert = async (model: typeof pointer, values: Readonly<Record<string, number>>) => {
      const columns = Object.keys(values);
      const [row] = await service.server.services.database.execute<{ id: number }>({
        sql: `insert into "${model.table}" (${[...columns, 'created_at', 'updated_at'].map((name) => `"${name}"`).join(', ')})
          values (${[...Object.values(values), "'2024-01-01T00:00:00.000Z'", "'2024-01-01T00:00:00.000Z'"].join(', ')})
          returning "id"`,
        parameters: [],
      });
      return Number(row?.id);
    };
    const there = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(1, 2, 3, 4, 5, 6), { maxKeys: 8 });
    await fc.assert(
      fc.asyncProperty(
        anyCaller,
        there,
        selection,
        fc.constantFrom(...pointers),
        async (caller, before, changed, model) => {
          if (caller === undefined) return;
          const path = `/api/v1/${model.path}/${await insert(model as typeof pointer, before)}`;
          const shown = await ask(caller, 'GET', path);
          const read =
            shown.status === 200
              ? (JSON.parse(shown.text) as { data: Readonly<Record<string, number>> }).data
              : {};
          // The answer to the write itself shows these to every writer.
          const saved = model.views.saved.includes('t0_id') ? before : {};
          const values = { ...before, ...changed };
          const wanted = refusedBy(caller, values).filter(
            (name) => read[name] !== values[name] && saved[name] !== values[name],
          );
          const answer = await ask(caller, 'PATCH', path, JSON.stringify({ [model.singular]: values }));
          expect([
            caller.name,
            answer.status,
            answer.status === 422 ? refusedFields(answer.text) : [],
          ]).toEqual([caller.name, wanted.length === 0 ? 200 : 422, wanted]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('tells nothing of a record out of reach: there, deleted and there again it is all the same', {
    timeout: 240_000,
  }, async () => {
    const { database } = service.server.services;
    const id = 5_000;
    for (const { name, model } of targets) {
      const sent = JSON.stringify({ pointer: { [name]: id, title: 'x' } });
      const appear = () => insertTarget(model.table, id, null, false);
      const vanish = () =>
        database.execute({ sql: `delete from "${model.table}" where "id" = ${id}`, parameters: [] });
      const strangers: TableCaller[] = [];
      await appear();
      for (const caller of callers)
        if ((await ask(caller, 'GET', pathOf(name, id))).status !== 200) strangers.push(caller);
      await vanish();
      const answers = async () => {
        const texts: string[][] = [];
        for (const caller of strangers)
          for (const { status, text } of [
            await ask(caller, 'GET', pathOf(name, id)),
            await ask(caller, 'POST', '/api/v1/pointers', sent),
            await ask(caller, 'PATCH', '/api/v1/pointers/1', sent),
          ])
            texts.push([name, caller.name, `${status} ${text}`]);
        return texts;
      };
      const absent = await answers();
      await appear();
      expect(await answers()).toEqual(absent);
      await vanish();
      expect(await answers()).toEqual(absent);
    }
  });

  it('a reference in the administration area may name what its own details show', async () => {
    const tokens = [
      adminToken,
      await service.tokenOf(people[0] ?? 0),
      await service.tokenOf((await service.createUser(['admin'])).id),
    ];
    for (const token of tokens)
      for (const { name, model } of targets) {
        const detail = await service.get(`/admin/records/${model.path}/6`, { token });
        const written = await service.post('/admin/records/pointers', {
          token,
          body: { pointer: { [name]: 6, person_id: people[0] } },
        });
        expect([name, written.status]).toEqual([name, detail.status === 200 ? 201 : 422]);
      }
  });
});
