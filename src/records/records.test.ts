import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { tableStatements } from '../database/migrations/schema.ts';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import { collectModels } from '../model/models.ts';
import { systemGrant } from '../policy/system-grant.ts';
import { createRecords } from './records.ts';

const fields = { code: field.string({ required: true, unique: true }), title: field.string() };

describeEachDatabase('records', (databases) => {
  const stage = async () => {
    const database = await databases.open();
    const model = defineResource('Book', { fields });
    for (const sql of tableStatements('books', { fields }, database.dialect))
      await database.execute({ sql, parameters: [] });
    const records = createRecords(database, model, collectModels([model]));
    return { database, records };
  };
  const some = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('nothing was written');
    return value;
  };
  const grant = systemGrant(['id', 'code', 'title'], ['code', 'title']);
  const chosen = new Set(['code']);
  const given = new Error('given up');

  it('records are created, changed and removed in one transaction, or not at all', async () => {
    const { database, records } = await stage();
    const kept = some(await records.insert(grant, { code: 'a' }, 0));
    const gone = some(await records.insert(grant, { code: 'b' }, 0));
    const change = async (fails: boolean) =>
      database.write(
        async (transaction) => {
          await records.insert(grant, { code: 'c' }, 0, transaction);
          const saved = await records.update(grant, kept.id, { title: 'x' }, 0, [1], transaction);
          expect(saved).toMatchObject({ id: kept.id, version: 2 });
          expect(await records.remove(grant, gone.id, undefined, transaction)).toBeDefined();
          // Inside, what was written is there already.
          expect(await records.writeState(grant, kept.id, transaction)).toEqual({
            version: 2,
            writable: true,
          });
          expect(await records.writeState(grant, gone.id, transaction)).toBeUndefined();
          if (fails) throw given;
        },
        { table: 'books' },
      );
    await expect(change(true)).rejects.toBe(given);
    expect(await records.writeState(grant, kept.id)).toEqual({ version: 1, writable: true });
    expect(await records.writeState(grant, gone.id)).toEqual({ version: 1, writable: true });
    await change(false);
    expect(await records.writeState(grant, kept.id)).toEqual({ version: 2, writable: true });
    expect(await records.writeState(grant, gone.id)).toBeUndefined();
  });

  it('collide with what the same transaction has written, and with nothing that it has taken away', async () => {
    const { database, records } = await stage();
    const first = some(await records.insert(grant, { code: 'a' }, 0));
    await database.write(async (transaction) => {
      const taken = (code: string) =>
        records.collisions(grant, { columns: { code }, chosen }, undefined, transaction);
      await records.insert(grant, { code: 'b' }, 0, transaction);
      expect(await taken('b')).toEqual([{ field: 'code', rule: 'unique' }]);
      expect(await taken('a')).toEqual([{ field: 'code', rule: 'unique' }]);
      await records.remove(grant, first.id, undefined, transaction);
      expect(await taken('a')).toEqual([]);
    });
  });

  it('records take other values through the statement of the first', async () => {
    const { records } = await stage();
    const made = some(await records.insert(grant, { code: 'a', title: 'one' }, 0));
    const other = some(await records.insert(grant, { code: 'b', title: 'two' }, 1000));
    expect(JSON.parse(other.json)).toEqual({ id: other.id, code: 'b', title: 'two' });
    await records.update(grant, made.id, { title: 'three' }, 0, [7, 1]);
    expect(await records.update(grant, other.id, { title: 'four' }, 0, [7, 8])).toBeUndefined();
    const saved = await records.update(grant, other.id, { title: 'five' }, 0, [8, 1]);
    expect(JSON.parse(saved?.json ?? '')).toEqual({ id: other.id, code: 'b', title: 'five' });
    expect(await records.update(grant, other.id, { title: 'six' }, 0, [])).toBeUndefined();
  });
});
