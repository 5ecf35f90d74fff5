import fc from 'fast-check';
import { expect, it } from 'vitest';
import { alterTable, createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

/**
 * Records that refer to one another in any way, circles included: what was deleted comes back, the last one first, and all
 * is as it was.
 */

const fieldsOf = {
  Ash: {
    ash: field.reference('Ash', { onDelete: 'cascade' }),
    birch: field.reference('Birch', { onDelete: 'null' }),
    cedar: field.reference('Cedar', { onDelete: 'cascade' }),
  },
  Birch: {
    ash: field.reference('Ash', { onDelete: 'cascade' }),
    birch: field.reference('Birch', { onDelete: 'null' }),
    cedar: field.reference('Cedar', { onDelete: 'null' }),
  },
  Cedar: {
    ash: field.reference('Ash', { onDelete: 'restrict' }),
    birch: field.reference('Birch', { onDelete: 'cascade' }),
    cedar: field.reference('Cedar', { onDelete: 'null' }),
  },
} as const;
const plurals = { Ash: 'ashes', Birch: 'birches', Cedar: 'cedars' } as const;
type Name = keyof typeof fieldsOf;
const names: readonly Name[] = ['Ash', 'Birch', 'Cedar'];

// A birch that is deleted by itself is gone; one that goes along with others comes back with them.
const resources = names.map((name) =>
  defineResource(name, {
    fields: fieldsOf[name],
    plural: plurals[name],
    trash: name !== 'Birch',
    history: name === 'Cedar',
  }),
);

const migrations: Migrations = {
  '0001_trees': {
    up: async (db, dialect) => {
      const references = { ash: 'ashes', birch: 'birches', cedar: 'cedars' };
      for (const name of names) await createTable(db, dialect, plurals[name], { fields: {} });
      // Each refers to the others, so all tables come first.
      for (const name of names)
        await alterTable(db, dialect, plurals[name], { add: fieldsOf[name], references });
    },
  },
};

const each = 4;
const place = fc.record({ of: fc.constantFrom(...names), nth: fc.nat(each - 1) });
const world = fc.record({
  edges: fc.array(fc.record({ from: place, to: place }), { maxLength: 16 }),
  deleted: fc.array(fc.record({ of: fc.constantFrom<Name>('Ash', 'Cedar'), nth: fc.nat(each - 1) }), {
    minLength: 1,
    maxLength: 5,
  }),
});

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

describeEachDatabase('a web of records', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });

  it('a web of records is what it was when all has come back', { timeout: 240_000 }, async () => {
    const token = await service.admin();
    const stored = async () => {
      const rows = await Promise.all(
        names.map((name) => service.ok<Row[]>('GET', `/api/v1/${plurals[name]}`, { token })),
      );
      return rows.map((some) => some.map(({ updated_at: _at, ...rest }) => rest));
    };
    let along = 0;
    await fc.assert(
      fc.asyncProperty(world, async ({ edges, deleted }) => {
        const ids = new Map<string, number>();
        for (const name of names)
          for (let nth = 0; nth < each; nth += 1) {
            const body = { [name.toLowerCase()]: {} };
            const { id } = await service.ok<Row>('POST', `/api/v1/${plurals[name]}`, { token, body });
            ids.set(`${name} ${nth}`, id);
          }
        const idOf = ({ of, nth }: { of: Name; nth: number }): number => ids.get(`${of} ${nth}`) ?? 0;
        for (const { from, to } of edges) {
          const body = { [from.of.toLowerCase()]: { [`${to.of.toLowerCase()}_id`]: idOf(to) } };
          await service.ok('PATCH', `/api/v1/${plurals[from.of]}/${idOf(from)}`, { token, body });
        }
        const before = await stored();
        const gone: { path: string; states: Awaited<ReturnType<typeof stored>> }[] = [];
        for (const one of deleted) {
          const states = await stored();
          const path = `${plurals[one.of]}/${idOf(one)}`;
          const { status } = await service.request('DELETE', `/api/v1/${path}`, { token });
          // It went along with another, or a cedar keeps it.
          if (status !== 200) expect([404, 409]).toContain(status);
          else gone.push({ path, states });
        }
        for (const { path, states } of gone.toReversed()) {
          const { status, text } = await service.request('POST', `/admin/records/${path}/restore`, { token });
          expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
          expect(await stored()).toEqual(states);
        }
        expect(await stored()).toEqual(before);
        along += gone.length;
        const { database } = service.server.services;
        const left = await database.all({ sql: 'select * from gatewright_trash', parameters: [] });
        expect(left).toEqual([]);
        for (const name of names.toReversed())
          await database.execute({
            sql: `update ${plurals[name]} set ash_id = null, birch_id = null, cedar_id = null`,
            parameters: [],
          });
        for (const name of names)
          await database.execute({ sql: `delete from ${plurals[name]}`, parameters: [] });
      }),
      { numRuns: 25 },
    );
    expect(along).toBeGreaterThan(25);
  });
});
