import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Answer, type TestUser, useService } from '../../support/service.ts';

/** Rules about sets of records are judged by the end of a write, whatever the order of its items is. */

const invoiceFields = { number: field.string() };
const lineFields = {
  invoice: field.reference('Invoice', { required: true, onDelete: 'cascade' }),
  pos: field.integer({ required: true }),
  sku: field.string({ unique: true }),
  code: field.string({ unique: true, required: true, max: 12 }),
  note: field.string({ max: 10 }),
};
const tagFields = { name: field.string({ unique: 'owner', required: true }), user_id: field.owner() };
const slotFields = { day: field.date({ unique: true, required: true }) };

let heard: string[] = [];
/** A line that the hook of another one changes; 0 for none. */
let touched = 0;

const invoice = defineResource('Invoice', {
  fields: invoiceFields,
  relations: { lines: many('Line', { by: 'invoice', write: true }) },
});
const line = defineResource('Line', {
  fields: lineFields,
  unique: [['invoice_id', 'pos']],
  history: true,
  events: true,
  trash: true,
  hooks: {
    beforeSave: ({ action, id, before, values }) =>
      void heard.push(`save ${action} ${id} ${before?.['pos']}→${values.pos}`),
    beforeCommit: async ({ action, id, before, after, records }) => {
      heard.push(`commit ${action} ${id} ${before?.['pos']}→${after?.['pos']}`);
      if (touched !== 0 && id !== touched) await records('Line').update(touched, { note: 'touched' });
    },
  },
});
const tag = defineResource('Tag', { fields: tagFields, isolation: true, ownership: true });
const slot = defineResource('Slot', { fields: slotFields });
const resources = [invoice, line, tag, slot];
const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'invoices', { fields: invoiceFields });
      await createTable(db, dialect, 'lines', { fields: lineFields, unique: line.unique });
      await createTable(db, dialect, 'tags', { fields: tagFields });
      await createTable(db, dialect, 'slots', { fields: slotFields });
    },
  },
};

interface Line {
  readonly id: number;
  readonly pos: number;
  readonly code: string;
  readonly version: number;
}
interface Errors {
  readonly errors: readonly { readonly field: string; readonly rule: string }[];
}

const refused = (answer: Answer<unknown>): readonly string[] => {
  expect(answer.status).toBe(422);
  return (answer.data as Errors).errors.map(({ field: of, rule }) => `${of} ${rule}`);
};

describeEachDatabase('a write of several records', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  let codes = 0;
  const code = (): string => {
    codes += 1;
    return `c${codes}`;
  };

  const batch = (token: TestUser, body: object, path = 'lines') =>
    service.post<{ updated: Line[] } & Errors>(`/api/v1/${path}/batch`, { token, body });
  const stage = async (count: number) => {
    const token = await service.createUser();
    const lines = Array.from({ length: count }, (_, index) => ({ pos: index + 1, code: code() }));
    const made = await service.ok<{ id: number; lines: Line[] }>('POST', '/api/v1/invoices?include=lines', {
      token,
      body: { invoice: { lines } },
    });
    heard = [];
    return { token, invoice: made.id, lines: made.lines.sort((a, b) => a.pos - b.pos) };
  };
  /** Versions of a line, newest first: number, action, and its place before and after. */
  const versions = async (id: number) => {
    const found = await service.ok<
      { version: number; action: string; before: Line | null; after: Line | null }[]
    >('GET', `/admin/records/lines/${id}/history`, { token: await service.admin() });
    return found.map(({ version, action, before, after }) => [version, action, before?.pos, after?.pos]);
  };
  const idOf = (lines: readonly Line[], index: number): number => lines[index]?.id ?? 0;
  /** The places of the lines in the order in which they were made. */
  const places = async (token: TestUser, of: number): Promise<readonly number[]> => {
    const rows = await service.ok<Line[]>('GET', `/api/v1/lines?filter[invoice_id]=${of}&sort=id`, { token });
    return rows.map(({ pos }) => pos);
  };

  it.each([
    ['an exchange', [2, 1]],
    ['a shift up', [2, 3, 4]],
    ['a shift down', [0, 1, 2]],
    ['a cycle of three', [2, 3, 1]],
    ['two exchanges', [2, 1, 4, 3]],
  ])(
    'a write of several records may be %s of unique values, in any order of its items',
    async (_name, next) => {
      for (const isReversed of [false, true]) {
        const { token, invoice: of, lines } = await stage(next.length);
        const update = next.map((pos, index) => ({ id: idOf(lines, index), pos }));
        if (isReversed) update.reverse();
        const { status, data } = await batch(token, { update });
        expect({ status, data }).toMatchObject({ status: 200, data: { updated: update } });
        expect(await places(token, of)).toEqual(next);
        // Each hook runs once, and sees the record as it was before the write.
        const calls = update.flatMap(({ id, pos }) => {
          const before = lines.find((each) => each.id === id)?.pos;
          return [`save update ${id} ${before}→${pos}`, `commit update ${id} ${before}→${pos}`];
        });
        expect(heard).toEqual(calls);
      }
    },
  );

  it('a write of several records may exchange texts, values of an owner, and values that may be null', async () => {
    const { token, lines } = await stage(2);
    const [one, two] = [idOf(lines, 0), idOf(lines, 1)];
    const [first, second] = lines.map((each) => each.code);
    await batch(token, {
      update: [
        { id: one, sku: `a${one}` },
        { id: two, sku: `b${one}` },
      ],
    });
    const both = [
      { id: one, code: second, sku: `b${one}` },
      { id: two, code: first, sku: `a${one}` },
    ];
    expect(await batch(token, { update: both })).toMatchObject({ status: 200, data: { updated: both } });
    const tags = await batch(token, { create: [{ name: 'a' }, { name: 'b' }] }, 'tags');
    const [a, b] = (tags.data as unknown as { created: { id: number }[] }).created;
    const named = [
      { id: a?.id, name: 'b' },
      { id: b?.id, name: 'a' },
    ];
    expect(await batch(token, { update: named }, 'tags')).toMatchObject({
      status: 200,
      data: { updated: named },
    });
  });

  it('keeps a value that an item does not send, next to one that moves', async () => {
    const { token, invoice: of, lines } = await stage(3);
    const other = await stage(1);
    // The second line leaves the set by its place; its code stays.
    const update = [
      { id: idOf(lines, 0), pos: 2 },
      { id: idOf(lines, 1), pos: 1, note: 'x' },
      { id: idOf(lines, 2), note: 'y' },
    ];
    expect((await batch(token, { update })).status).toBe(200);
    expect(await places(token, of)).toEqual([2, 1, 3]);
    // A record that leaves by its invoice keeps its place.
    const moved = [
      { id: idOf(lines, 0), pos: 3 },
      { id: idOf(lines, 2), invoice_id: other.invoice },
    ];
    expect((await batch(token, { update: moved })).status).toBe(200);
    expect(await places(token, of)).toEqual([3, 1]);
    expect(await places(token, other.invoice)).toEqual([3, 1]);
  });

  it('a write of several records may take the value of a record that it deletes, which history and the trash show as it was', async () => {
    const { token, invoice: of, lines } = await stage(3);
    const [one, two] = [idOf(lines, 0), idOf(lines, 1)];
    const body = {
      update: [{ id: one, pos: 2 }],
      delete: [two],
      create: [{ invoice_id: of, pos: 1, code: code() }],
    };
    expect((await batch(token, body)).status).toBe(200);
    expect(await places(token, of)).toEqual([2, 3, 1]);
    expect(heard.slice(0, 3)).toEqual([
      `save update ${one} 1→2`,
      `commit update ${one} 1→2`,
      `commit destroy ${two} 2→undefined`,
    ]);
    const admin = await service.admin();
    const trash = await service.ok<Line[]>('GET', '/admin/records/lines?trashed=true&per_page=1', {
      token: admin,
    });
    expect(trash).toMatchObject([{ id: two, pos: 2 }]);
    expect(await versions(two)).toEqual([
      [2, 'destroy', 2, undefined],
      [1, 'create', undefined, 2],
    ]);
  });

  it('a write of several records may exchange values within nested records, and take one of a deleted one', async () => {
    const { token, invoice: of, lines } = await stage(3);
    const [one, two, three] = [0, 1, 2].map((index) => idOf(lines, index));
    const patch = (items: object[]) =>
      service.request<Errors>('PATCH', `/api/v1/invoices/${of}`, {
        token,
        body: { invoice: { lines: items } },
      });
    expect(
      (
        await patch([
          { id: one, pos: 2 },
          { id: two, pos: 1 },
        ])
      ).status,
    ).toBe(200);
    expect(await places(token, of)).toEqual([2, 1, 3]);
    expect(
      (
        await patch([
          { id: one, pos: 3 },
          { id: three, _delete: true },
        ])
      ).status,
    ).toBe(200);
    expect(await places(token, of)).toEqual([3, 1]);
    expect(
      refused(
        await patch([
          { id: one, pos: 1 },
          { id: two, note: 'x' },
        ]),
      ),
    ).toEqual(['lines.0.pos unique']);
    const within = await batch(
      token,
      {
        update: [
          {
            id: of,
            lines: [
              { id: one, pos: 1 },
              { id: two, pos: 3 },
            ],
          },
        ],
      },
      'invoices',
    );
    expect(within.status).toBe(200);
    expect(await places(token, of)).toEqual([1, 3]);
  });

  it('a write of several records may exchange values of nested records of two records', async () => {
    const [first, second] = [await stage(1), await stage(1)];
    const item = (from: typeof first, to: typeof first) => ({
      id: from.invoice,
      lines: [{ id: idOf(from.lines, 0), code: to.lines[0]?.code }],
    });
    const update = [item(first, second), item(second, first)];
    expect((await batch(first.token, { update }, 'invoices')).status).toBe(200);
  });

  it('a write of several records is refused for values that are the same at its end, by field and item', async () => {
    const { token, invoice: of, lines } = await stage(3);
    const [one, two, three] = [0, 1, 2].map((index) => idOf(lines, index));
    const pair = (item: string) => [`${item}.invoice_id unique`, `${item}.pos unique`];
    const update = async (...items: object[]) => refused(await batch(token, { update: items }));
    expect(await update({ id: one, pos: 2 })).toEqual(pair('update.0'));
    expect(await update({ id: one, pos: 2 }, { id: two, note: 'x' })).toEqual(pair('update.0'));
    expect(await update({ id: one, pos: 2 }, { id: two, pos: 2 })).toEqual(pair('update.0'));
    expect(await update({ id: one, pos: 9 }, { id: two, pos: 9 })).toEqual(pair('update.1'));
    expect(await update({ id: one, pos: 2 }, { id: two, pos: 3 }, { id: three, pos: 3 })).toEqual(
      pair('update.1'),
    );
    expect(await update({ id: one, pos: 2 }, { id: two, pos: 1 }, { id: three, pos: 1 })).toEqual(
      pair('update.2'),
    );
    // The second item is invalid for another reason.
    expect(await update({ id: one, pos: 2 }, { id: two, pos: 1, note: 'x'.repeat(11) })).toEqual([
      'update.1.note max_length',
    ]);
    const created = { create: [{ invoice_id: of, pos: 3, code: code() }], update: [{ id: one, pos: 4 }] };
    expect(refused(await batch(token, created))).toEqual(pair('create.0'));
    expect(await places(token, of)).toEqual([1, 2, 3]);
  });

  it('leaves one version and one event of each record, from its old to its new values', async () => {
    const { token, lines } = await stage(2);
    const [one, two] = [idOf(lines, 0), idOf(lines, 1)];
    const update = [
      { id: one, pos: 2 },
      { id: two, pos: 1 },
    ];
    expect((await batch(token, { update })).status).toBe(200);
    expect(await versions(one)).toEqual([
      [2, 'update', 1, 2],
      [1, 'create', undefined, 1],
    ]);
    expect(await versions(two)).toEqual([
      [2, 'update', 2, 1],
      [1, 'create', undefined, 2],
    ]);
    for (const id of [one, two]) {
      const sql = `select action, version, fields from gatewright_events where model = 'Line' and record_id = ${id} order by id`;
      const { database, events: log } = service.server.services;
      await log.settle();
      const events = await database.all<{ fields: unknown }>({ sql, parameters: [] });
      expect(events.map((each) => String(each.fields))).toHaveLength(2);
      expect(String(events[1]?.fields)).toContain('pos');
    }
  });

  it('a write of several records may be an import that exchanges values, found by id or by another unique field', async () => {
    const { token, invoice: of, lines } = await stage(3);
    const root = await service.admin();
    const send = (body: object) =>
      service.post<{ updated: number; refused: number; lines: object[] }>('/admin/records/lines/import', {
        token: root,
        body,
      });
    const [one, two, three] = lines;
    const byId = [
      { line: 2, values: { id: one?.id, code: two?.code } },
      { line: 3, values: { id: two?.id, code: one?.code } },
    ];
    for (const preview of [true, false]) {
      const { status, data } = await send({ preview, by: 'id', lines: byId });
      expect({ status, data }).toMatchObject({ status: 200, data: { updated: 2, refused: 0 } });
      expect(data.lines).toMatchObject([
        { line: 2, changes: { code: [one?.code, two?.code] } },
        { line: 3, changes: { code: [two?.code, one?.code] } },
      ]);
    }
    const byCode = [one, two, three].map((each, index) => ({
      line: index + 2,
      values: { code: each?.code, pos: [3, 1, 2][index] },
    }));
    expect((await send({ preview: false, by: 'code', lines: byCode })).data).toMatchObject({
      updated: 3,
      refused: 0,
    });
    expect(await places(token, of)).toEqual([1, 3, 2]);
    const same = [
      { line: 2, values: { id: one?.id, pos: 3 } },
      { line: 3, values: { id: two?.id, note: 'x' } },
    ];
    expect((await send({ preview: false, by: 'id', lines: same })).data).toMatchObject({
      updated: 1,
      lines: [{ line: 2, errors: [{ field: 'invoice_id' }, { field: 'pos' }] }, { line: 3 }],
    });
  });

  it('a write of several records is refused where a hook changes a record that is in the way before its own item comes', async () => {
    const { token, invoice: of, lines } = await stage(2);
    const [one, two] = [idOf(lines, 0), idOf(lines, 1)];
    touched = two;
    const update = [
      { id: one, pos: 2 },
      { id: two, pos: 1 },
    ];
    const answer = await batch(token, { update });
    touched = 0;
    // The hook of the first line updates the second one before its own item comes: it keeps its place, which is taken.
    expect(answer.status).toBe(422);
    expect(await places(token, of)).toEqual([1, 2]);
  });

  it('several writes that exchange the same values at once are done one after the other', async () => {
    const { token, invoice: of, lines } = await stage(2);
    const second = await service.secondInstance();
    const exchange = (at: typeof service | typeof second, one: number, two: number, isReversed: boolean) => {
      const update = [
        { id: idOf(lines, 0), pos: one },
        { id: idOf(lines, 1), pos: two },
      ];
      if (isReversed) update.reverse();
      return at.post(`/api/v1/lines/batch`, { token, body: { update } });
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        exchange(
          index % 2 === 0 ? service : second,
          index % 2 === 0 ? 2 : 1,
          index % 2 === 0 ? 1 : 2,
          index % 4 > 1,
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect([...(await places(token, of))].sort()).toEqual([1, 2]);
  });

  it('a write of several records is refused where no value can have a placeholder, such as two required dates', async () => {
    const { token } = await stage(1);
    const days = [`20${10 + codes}-01-01`, `20${10 + codes}-01-02`];
    const made = await batch(token, { create: days.map((day) => ({ day })) }, 'slots');
    const [one, two] = (made.data as unknown as { created: { id: number }[] }).created;
    const update = [
      { id: one?.id, day: days[1] },
      { id: two?.id, day: days[0] },
    ];
    expect(refused(await batch(token, { update }, 'slots'))).toContain('update.0.day unique');
  });
});
