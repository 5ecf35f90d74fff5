import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { useService } from '../../support/service.ts';

/**
 * Values that a caller may not read change nothing of an answer: not the records, not their order or number,
 * not a header. The values are changed behind the service's back, so that also the entity tag must stay: a write
 * through the service raises the record's version and `updated_at`, which tell that it was written, never what.
 */

const fields = {
  title: field.string({ required: true, index: true }),
  body: field.text(),
  amount: field.integer({ index: true }),
  ratio: field.number(),
  price: field.decimal({ scale: 2 }),
  flag: field.boolean(),
  state: field.enum(['draft', 'live', 'gone']),
  day: field.date(),
  data: field.json(),
  secret: field.string({ index: true }),
  secret_body: field.text(),
  secret_amount: field.integer({ index: true }),
  secret_flag: field.boolean(),
  user_id: field.owner(),
};

const shown = [
  'id',
  'title',
  'body',
  'amount',
  'ratio',
  'price',
  'flag',
  'state',
  'day',
  'data',
  'created_at',
] as const;
const views = { list: shown, detail: [...shown, 'updated_at'], saved: ['id'] } as const;

/** Rows out of scope by their owner, and rows out of scope because they are not published. */
const diary = defineResource('Diary', { fields, views, isolation: true, plural: 'diaries' });
const post = defineResource('Bulletin', { fields, views, publicRead: { where: { flag: true } } });

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      for (const { table } of [diary, post]) await createTable(db, dialect, table, { fields });
    },
  },
};

const words = ['', 'a', 'B', 'b', 'é', '%', '_', 'ab', 'needle', '😀', 'z'];
const word = fc.constantFrom(...words);
const small = fc.constantFrom(-1, 0, 1, 2, 7);
const day = fc.constantFrom('2024-02-29', '2024-03-01', '1999-12-31');

/** Values of the columns as both databases take them; flags aside, they are bound as they are. */
const values = fc.record({
  title: word,
  body: fc.option(word),
  amount: fc.option(small),
  ratio: fc.option(fc.constantFrom(-0.5, 0, 1.25, 2)),
  price: fc.option(small),
  state: fc.option(fc.constantFrom('draft', 'live', 'gone')),
  day: fc.option(day),
  data: fc.option(fc.constantFrom('{"a":1}', '[1,2]', '"needle"')),
  secret: fc.option(word),
  secret_body: fc.option(word),
  secret_amount: fc.option(small),
});
type Values = Partial<typeof values extends fc.Arbitrary<infer T> ? T : never>;

const secretNames = ['secret', 'secret_body', 'secret_amount'] as const;
const onlySecrets = (all: Values): Values =>
  Object.fromEntries(secretNames.map((name) => [name, all[name] ?? null])) as Values;

/** Names that a caller might ask by: shown ones, hidden ones, ones that there are not. */
const anyName = fc.constantFrom(
  ...shown,
  ...secretNames,
  'secret_flag',
  'user_id',
  'updated_at',
  'version',
  'nothing',
);
const shownName = fc.constantFrom(...shown);
const name = fc.oneof({ weight: 6, arbitrary: shownName }, { weight: 1, arbitrary: anyName });
const operator = fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'starts_with', 'null');
const value = fc.oneof(
  word,
  small.map(String),
  day,
  fc.constantFrom('true', 'false', 'live', '0.01', 'a,b', '1,2', '2024-02-29T00:00:00Z'),
);

const filter = fc.oneof(
  fc.tuple(name, value).map(([field, text]) => [`filter[${field}]`, text]),
  fc.tuple(name, operator, value).map(([field, op, text]) => [`filter[${field}][${op}]`, text]),
);
const sort = fc
  .uniqueArray(fc.tuple(name, fc.boolean()), { minLength: 1, maxLength: 3, selector: ([field]) => field })
  .map((terms) => ['sort', terms.map(([field, down]) => (down ? '-' : '') + field).join()]);
const choice = fc.uniqueArray(name, { minLength: 1, maxLength: 4 }).map((names) => ['fields', names.join()]);
const paging = fc.constantFrom(
  [['page', '1']],
  [
    ['page', '2'],
    ['per_page', '2'],
  ],
  [['per_page', '3']],
  [['page', '99']],
);

const optionally = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const listQuery = fc
  .record({
    filters: fc.array(filter, { maxLength: 2 }),
    sort: optionally(sort),
    q: optionally(word.map((text) => ['q', text])),
    fields: optionally(choice),
    paging: optionally(paging),
  })
  .map(({ filters, sort: order, q, fields: chosen, paging: pages }) =>
    [...filters, ...[order, q, chosen].filter((part) => part !== undefined), ...(pages ?? [])]
      .map(([key = '', text = '']) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`)
      .join('&'),
  );

const measured = fc
  .tuple(
    fc.constantFrom('sum', 'avg', 'min', 'max'),
    fc.oneof(fc.constantFrom('amount', 'price', 'ratio', 'day', 'id'), name),
  )
  .map(([measure, field]) => [measure, field]);
const grouped = fc
  .uniqueArray(fc.oneof(name, fc.constantFrom('day:month', 'created_at:hour', 'day:week')), { maxLength: 2 })
  .map((names) => (names.length === 0 ? ['count', ''] : ['group', names.join()]));

const groupQuery = fc
  .record({ filters: fc.array(filter, { maxLength: 1 }), grouped, measured, paging: optionally(paging) })
  .map(({ filters, grouped: keys, measured: of, paging: pages }) =>
    [...filters, keys, of, ...(pages ?? [])]
      .map(([key = '', text = '']) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`)
      .join('&'),
  );

describeEachDatabase('what a caller may not read', (databases) => {
  const service = useService(databases, {
    application: { resources: [diary, post], migrations },
    env: { LOG_LEVEL: 'warn' },
  });
  const born = '2024-01-01T00:00:00.000Z';
  const flagOf = (flag: boolean): boolean | number => (databases.dialect === 'sqlite' ? Number(flag) : flag);
  const place = (index: number): string => `${databases.dialect === 'sqlite' ? '?' : '$'}${index + 1}`;
  const execute = (sql: string, parameters: readonly (string | number | boolean | null)[]) =>
    service.server.services.database.execute<{ id: number }>({ sql, parameters });

  const insert = async (
    table: string,
    row: Record<string, string | number | boolean | null>,
  ): Promise<number> => {
    const all = { ...row, created_at: born, updated_at: born };
    const names = Object.keys(all).map((column) => `"${column}"`);
    const places = names.map((_, index) => place(index));
    const sql = `insert into "${table}" (${names.join(', ')}) values (${places.join(', ')}) returning id`;
    const [made] = await execute(sql, Object.values(all));
    return Number(made?.id);
  };
  const change = async (table: string, id: number, row: Values): Promise<void> => {
    const entries = Object.entries(row);
    const sets = entries.map(([column], index) => `"${column}" = ${place(index)}`);
    await execute(
      `update "${table}" set ${sets.join(', ')} where id = ${id}`,
      entries.map(([, one]) => one),
    );
  };

  /** A model, its caller, their rows and the others, and how a row becomes one of the others. */
  interface Setting {
    readonly path: string;
    readonly table: string;
    readonly headers: Record<string, string>;
    readonly mine: number[];
    readonly others: number[];
    readonly other: Record<string, string | number | boolean | null>;
  }
  const settings: Record<string, Setting> = {};

  beforeAll(async () => {
    const [me, somebody] = [await service.createUser(), await service.createUser()];
    const whose = {
      diaries: {
        mine: { user_id: me.id, flag: flagOf(false) },
        other: { user_id: somebody.id, flag: flagOf(true) },
      },
      bulletins: {
        mine: { user_id: null, flag: flagOf(true) },
        other: { user_id: me.id, flag: flagOf(false) },
      },
    };
    for (const [table, { mine, other }] of Object.entries(whose)) {
      const setting: Setting = {
        path: `/api/v1/${table}`,
        table,
        headers: { authorization: `Bearer ${me.token}` },
        mine: [],
        others: [],
        other,
      };
      for (const [index, one] of fc.sample(values, { seed: 7, numRuns: 16 }).entries()) {
        const own = index % 2 === 0;
        const id = await insert(table, { ...one, ...(own ? mine : other) });
        (own ? setting.mine : setting.others).push(id);
      }
      settings[table] = setting;
    }
  });

  const ask = async ({ headers }: Setting, path: string) => {
    const answer = await service.server.inject({ method: 'GET', path, headers });
    const { date: _, 'x-request-id': _id, ...rest } = answer.headers;
    return { status: answer.status, headers: rest, text: answer.text };
  };

  const secretOfMine = fc.record({
    of: fc.constant('mine' as const),
    at: fc.nat(7),
    to: values.map(onlySecrets),
  });
  const rowOfOthers = fc.record({ of: fc.constant('others' as const), at: fc.nat(7), to: values });
  const newRow = fc.record({ of: fc.constant('new' as const), at: fc.constant(0), to: values });
  const mutation = fc.oneof(secretOfMine, rowOfOthers, newRow);

  const mutate = async (
    setting: Setting,
    { of, at, to }: { of: 'mine' | 'others' | 'new'; at: number; to: Values },
  ) => {
    if (of === 'new') return insert(setting.table, { ...(to as Record<string, string>), ...setting.other });
    await change(setting.table, setting[of][at] ?? 0, to);
    return undefined;
  };

  describe.each(['diaries', 'bulletins'])('in %s', (table) => {
    const settingOf = (): Setting => {
      const setting = settings[table];
      if (setting === undefined) throw new Error(`no ${table}`);
      return setting;
    };

    it('changes no list, whatever is asked', { timeout: 120_000 }, async () => {
      const setting = settingOf();
      const seen = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(
          listQuery,
          fc.array(mutation, { minLength: 1, maxLength: 3 }),
          async (query, mutations) => {
            const path = `${setting.path}?${query}`;
            const before = await ask(setting, path);
            const made: (number | undefined)[] = [];
            for (const one of mutations) made.push(await mutate(setting, one));
            const after = await ask(setting, path);
            for (const id of made)
              if (id !== undefined) await execute(`delete from "${table}" where id = ${id}`, []);
            seen.set(before.status, (seen.get(before.status) ?? 0) + 1);
            expect(after).toEqual(before);
          },
        ),
        { numRuns: 250 },
      );
      // Enough of the queries were good ones for the property to say something.
      expect(seen.get(200) ?? 0).toBeGreaterThan(50);
      expect(seen.get(400) ?? 0).toBeGreaterThan(5);
      expect([...seen.keys()].sort()).toEqual([200, 400]);
    });

    it('changes no group, no sum and no count', { timeout: 120_000 }, async () => {
      const setting = settingOf();
      const seen = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(groupQuery, mutation, async (query, one) => {
          const path = `${setting.path}/aggregate?${query}`;
          const before = await ask(setting, path);
          const made = await mutate(setting, one);
          const after = await ask(setting, path);
          if (made !== undefined) await execute(`delete from "${table}" where id = ${made}`, []);
          seen.set(before.status, (seen.get(before.status) ?? 0) + 1);
          expect(after).toEqual(before);
        }),
        { numRuns: 250 },
      );
      expect(seen.get(200) ?? 0).toBeGreaterThan(50);
      expect(seen.get(400) ?? 0).toBeGreaterThan(5);
      expect([...seen.keys()].sort()).toEqual([200, 400]);
    });

    it('changes no page reached by a cursor', async () => {
      const setting = settingOf();
      const orders = fc.constantFrom('amount', '-amount', 'title,-ratio', '-body', 'day,title', 'id');
      await fc.assert(
        fc.asyncProperty(orders, mutation, async (order, one) => {
          const walk = async (): Promise<string[]> => {
            const pages: string[] = [];
            let path: string | undefined = `${setting.path}?sort=${order}&per_page=3`;
            while (path !== undefined && pages.length < 10) {
              const { headers, text } = await ask(setting, path);
              pages.push(text, String(headers['link']));
              path = /<[^>]*?(\/api\/v1[^>]*)>; rel="next"/.exec(String(headers['link']))?.[1];
            }
            return pages;
          };
          const before = await walk();
          const made = await mutate(setting, one);
          const after = await walk();
          if (made !== undefined) await execute(`delete from "${table}" where id = ${made}`, []);
          expect(after).toEqual(before);
        }),
        { numRuns: 40 },
      );
    });

    it('changes no detail, neither of one’s own records nor of others’', async () => {
      const setting = settingOf();
      const ids = [...setting.mine, ...setting.others, 999_999];
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...ids), mutation, async (id, one) => {
          const before = await ask(setting, `${setting.path}/${id}`);
          const made = await mutate(setting, one);
          const after = await ask(setting, `${setting.path}/${id}`);
          if (made !== undefined) await execute(`delete from "${table}" where id = ${made}`, []);
          expect(before.status).toBe(setting.mine.includes(id) ? 200 : 404);
          expect(after).toEqual(before);
        }),
        { numRuns: 60 },
      );
    });

    it('answers a record out of scope exactly like one that is not there', async () => {
      const setting = settingOf();
      const missing = await ask(setting, `${setting.path}/999999`);
      for (const id of setting.others) expect(await ask(setting, `${setting.path}/${id}`)).toEqual(missing);
    });

    it('answers a hidden field exactly like one that does not exist', async () => {
      const setting = settingOf();
      const asked = (field: string): string[] => [
        `filter[${field}]=1`,
        `filter[${field}][like]=a`,
        `filter[${field}][nonsense]=1`,
        `filter[${field}][null]=perhaps`,
        `sort=${field}`,
        `sort=-${field},title`,
        `fields=id,${field}`,
      ];
      for (const field of ['secret', 'secret_body', 'secret_amount', 'user_id', 'updated_at', 'version'])
        for (const [index, query] of asked(field).entries()) {
          // Every caller of a list may ask for versions, which the ETag of a record has as well.
          if (query === 'fields=id,version') continue;
          const hidden = await ask(setting, `${setting.path}?${query}`);
          const unknown = await ask(setting, `${setting.path}?${asked('no_such_field')[index]}`);
          expect([query, hidden.status]).toEqual([query, 400]);
          expect(hidden.text.replaceAll(field, '…')).toBe(unknown.text.replaceAll('no_such_field', '…'));
        }
      const computed = (field: string): string[] =>
        [
          'group=',
          'group=title,',
          'sum=',
          'count&avg=',
          'min=',
          'max=',
          'count&sort=',
          'count&filter[x]=1&sum=',
        ].map((query) => query.replace('[x]', `[${field}]`) + (query.includes('[x]') ? 'amount' : field));
      for (const field of ['secret', 'secret_amount', 'user_id', 'updated_at', 'version'])
        for (const [index, query] of [...computed(field), `group=${field}:day`].entries()) {
          const hidden = await ask(setting, `${setting.path}/aggregate?${query}`);
          const others = [...computed('no_such_field'), 'group=no_such_field:day'];
          const unknown = await ask(setting, `${setting.path}/aggregate?${others[index]}`);
          expect([query, hidden.status]).toEqual([query, 400]);
          expect(hidden.text.replaceAll(field, '…')).toBe(unknown.text.replaceAll('no_such_field', '…'));
        }
    });

    it('a text that a caller may not read is not found by q', async () => {
      const setting = settingOf();
      const id = setting.mine[0] ?? 0;
      await change(table, id, { secret: 'unheard-of', secret_body: 'unheard-of' });
      expect(JSON.parse((await ask(setting, `${setting.path}?q=unheard-of`)).text)).toMatchObject({
        data: [],
      });
      const total = await ask(setting, `${setting.path}?q=unheard-of&page=1`);
      expect(total.headers['x-total-count']).toBe('0');
    });
  });
});
