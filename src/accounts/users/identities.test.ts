import { expect, it } from 'vitest';
import { type Databases, describeDatabase, describeEachDatabase } from '../../../tests/support/databases.ts';
import { applyMigrations } from '../../app/migrate.ts';
import type { Database, Query } from '../../database/database.ts';
import { databaseTarget } from '../../database/targets.ts';
import type { Actor } from '../../ledger/audit.ts';
import { createCommands } from '../../ledger/command.ts';
import { addKey } from '../api-keys/commands.ts';
import { createIdentityStore } from './identities.ts';
import { createUserStore } from './store.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const actor = { principal: 'command line', address: null } as const;

/** A user's identity store, and what it asks its database. */
const setUp = async (databases: Databases) => {
  const url = await databases.create();
  await applyMigrations(databaseTarget(url), { migrations: {} });
  const database = await databases.open(url);
  const context = { database, clock: () => now };
  const names = { username: 'ann', usernameCanonical: 'ann', email: 'a@b.c', emailCanonical: 'a@b.c' };
  const userId = await createUserStore(context).create(
    { ...names, name: 'Ann', passwordHash: 'x', disabled: false, roles: ['viewer'] },
    actor,
  );
  const asked: Query[] = [];
  const watched: Pick<Database, 'dialect' | 'get'> = {
    dialect: database.dialect,
    get: (query) => {
      asked.push(query);
      return database.get(query);
    },
  };
  const storeKey = async (hash: string, expiresAt: number | null): Promise<void> => {
    const key = { userId, name: hash, hash, prefix: 'p', expiresAt };
    await createCommands(context)(actor, (change) => addKey(change, key));
  };
  const identities = createIdentityStore({ ...database, ...watched }, () => {});
  const opens = async (hash: string, at: number) =>
    (await identities.byKeyHash(hash, at, []))?.identity.id === userId;
  return { database, context, userId, storeKey, opens, asked };
};

describeEachDatabase('keys', (databases) => {
  it('keys are good up to the millisecond before their end', async () => {
    const { storeKey, opens } = await setUp(databases);
    await storeKey('ending', now + 120);
    await storeKey('lasting', null);
    expect(await Promise.all([0, 119, 120, 121, 1e12].map((later) => opens('ending', now + later)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(await opens('lasting', now + 1e12)).toBe(true);
    expect(await opens('unknown', now)).toBe(false);
  });

  it('a key of an account that was deleted after its request was authenticated is a 401', async () => {
    const { context, userId } = await setUp(databases);
    const foreignKey = { field: 'user_id', rule: 'reference' } as const;
    const make = (acting: number, owner: number, reason?: string) => {
      const principal = {
        kind: 'user',
        method: 'jwt',
        id: acting,
        username: 'ann',
        roles: [],
        mustChangePassword: false,
      };
      const key = { userId: owner, name: 'late', hash: `${acting} ${owner}`, prefix: 'p', expiresAt: null };
      return createCommands(context)(
        { principal, address: null, reason } as Actor,
        (change) => addKey(change, key),
        {
          foreign_key: foreignKey,
        },
      );
    };
    const gone = userId + 1;
    await expect(make(gone, gone)).rejects.toMatchObject({
      problem: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="gatewright"' },
    });
    await expect(make(userId, gone)).rejects.toMatchObject({ violation: foreignKey });
    // Code that acts for the system is no account.
    await expect(make(gone, gone, 'import')).rejects.toMatchObject({ violation: foreignKey });
    expect(await make(userId, userId)).toBeGreaterThan(0);
  });
});

describeDatabase('postgres', 'keys whose end has no text', (databases) => {
  it.each(['infinity', '-infinity'])('keys whose end has no text are over: %s', async (end) => {
    const { database, storeKey, opens } = await setUp(databases);
    await storeKey('odd', null);
    expect(await opens('odd', now)).toBe(true);
    await database.execute({ sql: `update api_keys set expires_at = '${end}'`, parameters: [] });
    expect(await opens('odd', now)).toBe(false);
  });
});
