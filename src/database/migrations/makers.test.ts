import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { databaseTarget } from '../targets.ts';
import { coreMigrations } from './core.ts';
import { migrate } from './runner.ts';

const options = { tableName: 'gatewright_migrations' };
const at = "'2026-01-01T00:00:00.000Z'";

describeEachDatabase('the migration that records makers', (databases) => {
  it('finds them in the audit log', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    const before = Object.entries(coreMigrations).filter(([name]) => name < '0024');
    await migrate(target, Object.fromEntries(before), options);
    const database = await databases.open(url);
    const run = (sql: string) => database.execute({ sql, parameters: [] });
    const off = databases.dialect === 'postgres' ? 'false' : '0';
    for (const name of ['ann', 'ben', 'cleo'])
      await run(`insert into users (username, username_canonical, email, email_canonical, name, password_hash,
        disabled, created_at, updated_at) values ('${name}', '${name}', '${name}@x', '${name}@x', '${name}', 'hash',
        ${off}, ${at}, ${at})`);
    for (const user of [1, 2])
      await run(`insert into api_keys (user_id, name, key_hash, key_prefix, created_at)
        values (${user}, 'key', 'hash${user}', 'hash', ${at})`);
    await run(`insert into gatewright_webhooks (url, models, actions, user_id, secret, cursor, created_at, updated_at)
      values ('https://x', '[]', '[]', 2, 'sealed', 0, ${at}, ${at})`);
    for (const user of [2, 3])
      await run(`insert into gatewright_invitations (user_id, token_hash, created_at, expires_at)
        values (${user}, 'token${user}', ${at}, ${at})`);
    const lines = [
      ['1', 'user.create', 'user', '2', '{}'],
      ['1', 'user.create', 'user', '3', '{}'],
      ['1', 'user.update', 'user', '3', '{"fields":["password"]}'],
      ['3', 'user.password', 'user', '3', '{}'],
      ['1', 'user.update', 'user', '3', '{"fields":["must_change_password"]}'],
      ['1', 'key.create', 'api_key', '1', '{}'],
      ['1', 'key.create', 'api_key', '2', '{}'],
      ['1', 'webhook.create', 'webhook', '1', '{}'],
      ['1', 'invitation.create', 'user', '2', '{}'],
      ['9', 'invitation.create', 'user', '3', '{}'],
      ['1', 'permission.grant', 'permission', null, '{}'],
      ['1', 'application.rotate', 'application', 'shop', '{}'],
    ];
    for (const [actor, action, kind, target, detail] of lines)
      await run(`insert into audit (created_at, actor_kind, actor_id, action, target_kind, target_id, detail)
        values (${at}, 'user', '${actor}', '${action}', '${kind}', ${target === null ? 'null' : `'${target}'`}, '${detail}')`);
    expect(await migrate(target, coreMigrations, options)).toContain('0024_makers');
    const column = async (sql: string) =>
      (await database.all<{ v: number | null }>({ sql, parameters: [] })).map(({ v }) => v);
    expect(await column('select password_set_by as v from users order by id')).toEqual([null, 1, null]);
    expect(await column('select created_by as v from api_keys order by id')).toEqual([null, 1]);
    expect(await column('select created_by as v from gatewright_webhooks')).toEqual([1]);
    expect(await column('select made_by as v from gatewright_invitations order by id')).toEqual([1, null]);
  });
});
