import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { startService } from '../../../tests/support/service.ts';
import { field } from '../../fields/define.ts';
import type { Json } from '../../kernel/json.ts';
import { defineResource } from '../../model/define-resource.ts';
import { databaseTarget } from '../targets.ts';
import { alterTable, createTable, fillHistory } from './application-steps.ts';
import type { HistoryFill } from './fill-history.ts';
import type { Migrations } from './migration.ts';
import { plan } from './plan.ts';
import { migrate } from './runner.ts';
import { undoLast } from './undo.ts';

const before = { name: field.string({ required: true, max: 80 }), extra: field.json() };
const added = {
  first_name: field.string({ max: 40 }),
  last_name: field.string({ max: 40 }),
  score: field.decimal({ scale: 2 }),
};
const person = (fields: Parameters<typeof defineResource>[1]['fields']) =>
  defineResource('Person', { fields, history: true });

const made: Migrations = {
  '0001': { up: (db, dialect) => createTable(db, dialect, 'people', { fields: before }) },
};
const filledBy = (fill: HistoryFill, model = 'Person'): Migrations => ({
  ...made,
  '0002': {
    up: async (db, dialect) => {
      await alterTable(db, dialect, 'people', { add: added });
      const space = dialect === 'sqlite' ? sql`instr(name, ' ')` : sql`position(' ' in name)`;
      await sql`update people set first_name = substr(name, 1, ${space} - 1),
        last_name = substr(name, ${space} + 1), score = 1`.execute(db);
      await fillHistory(db, dialect, model, fill);
      await alterTable(db, dialect, 'people', { drop: ['name'] });
    },
  },
});

/** Splits the name at its first blank. */
const split: HistoryFill = ({ name }) => {
  const [start, ...rest] = String(name).split(' ');
  return { first_name: start ?? '', last_name: rest.join(' '), score: '1.5' };
};

interface Version {
  readonly version: number;
  readonly before: Record<string, Json> | null;
  readonly after: Record<string, Json> | null;
}

describeEachDatabase('former values of a split field', (databases) => {
  /** A database with two versions of a person, one that was deleted, one that was forgotten, and many more. */
  const seeded = async (more = 0): Promise<string> => {
    const url = await databases.create();
    await using service = await startService(databases, {
      url,
      application: { resources: [person(before)], migrations: made },
    });
    const token = await service.admin();
    const create = (name: string, extra = '{}') =>
      service.ok<{ id: number }>('POST', '/api/v1/people', {
        token,
        body: `{"person":{"name":${JSON.stringify(name)},"extra":${extra}}}`,
        headers: { 'content-type': 'application/json' },
      });
    const { id } = await create('Ada King', '{"n":12345678901234567890,"b":1,"a":2}');
    await service.ok('PATCH', `/api/v1/people/${id}`, { token, body: { person: { name: 'Ada Lovelace' } } });
    const { id: gone } = await create('Alan Turing');
    await service.ok('DELETE', `/api/v1/people/${gone}`, { token });
    const { id: erased } = await create('No Body');
    await service.command('forget', 'Person', String(erased));
    const records = service.server.services.systemScope('a test').records('Person');
    for (let index = 0; index < more; index += 1) await records.create({ name: `Many ${index}` });
    // More bytes than one batch has.
    for (let index = 0; index < (more > 0 ? 5 : 0); index += 1)
      await records.create({ name: `Long ${index}`, extra: 'x'.repeat(1_200_000) });
    return url;
  };

  it('former values of a split field are in every version under the new names, each side by its own values', async () => {
    const url = await seeded(520);
    await using service = await startService(databases, {
      url,
      application: {
        resources: [person({ ...added, extra: before.extra })],
        migrations: filledBy(split),
      },
    });
    const token = await service.admin();
    const versions = (id: number) =>
      service.ok<Version[]>('GET', `/${id === 2 ? 'admin/records' : 'api/v1'}/people/${id}/history`, {
        token,
      });
    const king = { first_name: 'Ada', last_name: 'King', score: '1.50' };
    const lovelace = { first_name: 'Ada', last_name: 'Lovelace', score: '1.50' };
    expect(await versions(1)).toMatchObject([
      { version: 2, before: king, after: lovelace },
      { version: 1, before: null, after: king },
    ]);
    expect(Object.keys((await versions(1))[0]?.after ?? {})).not.toContain('name');
    // The other values stay as they were sent.
    const { text } = await service.get('/admin/records/people/1/history', { token });
    expect(text.match(/"n":12345678901234567890/g)).toHaveLength(3);
    expect(await versions(2)).toMatchObject([
      { version: 2, before: { first_name: 'Alan' }, after: null },
      { version: 1, before: null, after: { last_name: 'Turing' } },
    ]);
    expect(await versions(3)).toMatchObject([{ before: null, after: null }]);
    // More versions than one batch has.
    expect(await versions(523)).toMatchObject([{ after: { first_name: 'Many', last_name: '519' } }]);
    expect(await versions(524)).toMatchObject([{ after: { first_name: 'Long', last_name: '0' } }]);
    expect(await versions(528)).toMatchObject([{ after: { first_name: 'Long', last_name: '4' } }]);
  });

  it('former values of a split field are no part of a plan, and a migration that fills them is not undone', async () => {
    const url = await seeded();
    const fill: HistoryFill = () => {
      throw new Error('a plan calls it');
    };
    const target = databaseTarget(url);
    const applied = { tableName: 'migrations' };
    const steps = await plan(target, filledBy(fill), applied);
    expect(steps.at(-1)?.statements).toContain('-- former values of Person are filled');
    const migrations = filledBy(split);
    await migrate(target, migrations, applied);
    const undone = undoLast(target, { migrations, ...applied }, new Map(), async () => {});
    await expect(undone).rejects.toThrow('it runs statements of its own');
  });

  it('former values are refused under names of no field, of no model, and where a field does not take them', async () => {
    const url = await seeded();
    const failure = async (fill: HistoryFill, model?: string): Promise<string> => {
      const application = { resources: [person(added)], migrations: filledBy(fill, model) };
      const error: unknown = await startService(databases, { url, application }).then(
        async (service) => {
          await service.close();
          return 'it started';
        },
        (reason: unknown) => reason,
      );
      return String(error);
    };
    expect(await failure(() => ({ nick: 'a', title: 'b', first_name: 'c' }))).toContain(
      'fillHistory: Person has no field nick, title',
    );
    expect(await failure(() => ({ id: 5 }))).toContain('fillHistory: Person has no field id');
    expect(await failure(() => ({}), 'Persona')).toContain('there is no table of the model Persona');
    expect(await failure(() => ({ first_name: 'x'.repeat(41) }))).toContain(
      'the value of Person.first_name in version 1 of record 1 breaks the rule max_length',
    );
    expect(await failure(() => 'text' as never)).toContain('must return an object');
    // Nothing was changed: the same migration still works.
    expect(await failure(split)).toBe('it started');
  });
});
