import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { applyMigrations } from '../../app/migrate.ts';
import { databaseTarget } from '../../database/targets.ts';
import { createSessionStore } from '../sessions/store.ts';
import { createUserStore, type UpdateOptions, type UserChange } from './store.ts';

const actor = { principal: 'command line', address: null } as const;

describeEachDatabase('sessions of a user who is changed', (databases) => {
  const setUp = async () => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    const context = { database, clock: () => Date.parse('2026-11-21T10:00:00.000Z') };
    const users = createUserStore(context);
    const sessions = createSessionStore(context);
    const create = (name: string): Promise<number> =>
      users.create(
        {
          username: name,
          usernameCanonical: name,
          email: `${name}@a.b`,
          emailCanonical: `${name}@a.b`,
          name,
          passwordHash: 'old',
          disabled: false,
          roles: ['viewer'],
        },
        actor,
      );
    const [ann, bob] = [await create('ann'), await create('bob')];
    const signIn = (id: number, securityStamp: number, hash: string): Promise<boolean> =>
      sessions.create({ id, securityStamp }, { hash, address: '127.0.0.1', userAgent: '' }, actor);
    for (const id of [ann, bob]) for (const n of [1, 2]) await signIn(id, 0, `${id} ${n}`);
    const left = async (id: number): Promise<number | undefined> => {
      const sql = `select count(*) as n from sessions where user_id = ${id}`;
      const row = await database.get<{ n: number }>({ sql, parameters: [] });
      return row && Number(row.n);
    };
    return { users, ann, bob, left, signIn };
  };

  const ending: Readonly<Record<string, readonly [UserChange, UpdateOptions?]>> = {
    'a disabling': [{ disabled: true }],
    'a new password': [{ passwordHash: 'new' }],
    'a request': [{}, { sessionsEnd: true }],
  };

  it.each(Object.entries(ending))(
    'sessions of a user who is changed end at %s, with the sign-in that was under way',
    async (_name, [change, options]) => {
      const { users, ann, bob, left, signIn } = await setUp();
      expect(await left(ann)).toBe(2);
      expect(await users.update(ann, change, actor, options)).toBe(true);
      expect([await left(ann), await left(bob)]).toEqual([0, 2]);
      // Verified before the change, by the stamp of that time.
      expect(await signIn(ann, 0, 'late')).toBe(false);
    },
  );

  it('sessions of a user who is changed go on where only the name changes', async () => {
    const { users, ann, left } = await setUp();
    await users.update(ann, { name: 'Anne' }, actor);
    expect(await left(ann)).toBe(2);
  });
});
