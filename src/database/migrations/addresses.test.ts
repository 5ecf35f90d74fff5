import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { createOlderTables } from '../../../tests/support/older-database.ts';
import { databaseTarget } from '../targets.ts';
import { coreSet } from './core.ts';
import { migrate } from './runner.ts';

const at = "'2026-01-01T00:00:00.000Z'";

/** Addresses as they were stored, with the form by which they were compared; and both as they are to be. */
const rows = [
  ['Ann@Example.com', 'ann@example.com', 'Ann@Example.com', 'ann@example.com'],
  ['mike@gıthub.example', 'mike@github.example', 'mike@xn--gthub-n4a.example', 'mike@xn--gthub-n4a.example'],
  ['李@例子.中国', '李@例子.中国', '李@xn--fsqu00a.xn--fiqs8s', '李@xn--fsqu00a.xn--fiqs8s'],
  ['李@XN--FSQU00A.xn--fiqs8s', '李@xn--fsqu00a.xn--fiqs8s', '李@XN--FSQU00A.xn--fiqs8s', undefined],
  ['Strauß@example.com', 'strauss@example.com', 'Strauß@example.com', 'strauß@example.com'],
  ['ｍike@example.com', 'mike@example.com', 'ｍike@example.com', undefined],
  ['eve@ｇithub.example', 'eve@github.example', 'eve@ｇithub.example', undefined],
  ['x@[127.0.0.1]', 'x@[127.0.0.1]', 'x@[127.0.0.1]', 'x@[127.0.0.1]'],
] as const;

describeEachDatabase('the migration of addresses', (databases) => {
  it('compares them by the mailbox to which mail goes', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    await createOlderTables(url, databases.dialect);
    const database = await databases.open(url);
    const run = (sql: string) => database.execute({ sql, parameters: [] });
    const off = databases.dialect === 'postgres' ? 'false' : '0';
    for (const [index, [email, canonical]] of rows.entries())
      await run(`insert into users (username, username_canonical, email, email_canonical, name, password_hash,
        disabled, created_at, updated_at) values ('u${index}', 'u${index}', '${email}', '${canonical}', 'u', 'hash',
        ${off}, ${at}, ${at})`);
    for (const account of ['mike@gıthub.example', 'mike@github.example', 'u1'])
      await run(`insert into gatewright_account_links (purpose, account, canonical, locale, created_at)
        values ('registration', '${account}', 'mike@github.example', 'en', ${at})`);
    expect(await migrate(target, coreSet.migrations, coreSet)).toContain('0058_addresses');
    const stored = await database.all<{ email: string; email_canonical: string }>({
      sql: 'select email, email_canonical from users order by id',
      parameters: [],
    });
    for (const [index, { email, email_canonical: canonical }] of stored.entries()) {
      const [, , kept, compared] = rows[index] ?? [];
      expect([email, canonical]).toEqual([kept, compared ?? expect.stringMatching(/^none [0-9a-f]{24}$/)]);
    }
    const links = await database.all<{ account: string }>({
      sql: 'select account from gatewright_account_links order by id',
      parameters: [],
    });
    expect(links.map(({ account }) => account)).toEqual(['mike@github.example', 'u1']);
  });
});

describeEachDatabase('the migration of taken addresses', (databases) => {
  it('takes away addresses that were invented', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    await createOlderTables(url, databases.dialect, '0068');
    const database = await databases.open(url);
    const off = databases.dialect === 'postgres' ? 'false' : '0';
    const invented = ['0123456789abcdef@provider.invalid', 'fedcba9876543210@provider.invalid'];
    for (const [index, email] of [...invented, 'ann@provider.invalid', 'ann@example.com'].entries())
      await database.execute({
        sql: `insert into users (username, username_canonical, email, email_canonical, name, password_hash,
          disabled, created_at, updated_at) values ('u${index}', 'u${index}', '${email}', '${email}', 'u', '',
          ${off}, ${at}, ${at})`,
        parameters: [],
      });
    await migrate(target, coreSet.migrations, coreSet);
    const stored = await database.all<{ email: string; email_canonical: string }>({
      sql: 'select email, email_canonical from users order by id',
      parameters: [],
    });
    expect(stored.map(({ email }) => email)).toEqual(['', '', 'ann@provider.invalid', 'ann@example.com']);
    expect(new Set(stored.map(({ email_canonical: canonical }) => canonical.includes('@')))).toEqual(
      new Set([false, true]),
    );
  });
});
