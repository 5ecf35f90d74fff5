import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { run } from '../test-io.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = process.cwd();

/** Runs commands in the folder of an application with one prefix, each on the same database. */
const commandsOf = async (env: Readonly<Record<string, string>>) => {
  await mkdir(join(root, 'reports'), { recursive: true });
  // Inside the repository, so that the file finds the package that it imports.
  const folder = await mkdtemp(join(root, 'reports', 'prefix-'));
  onTestFinished(async () => {
    process.chdir(home);
    await rm(folder, { recursive: true, force: true });
  });
  let folders = 0;
  return async (prefix: string | undefined) => {
    folders += 1;
    const own = join(folder, `application${folders}`);
    await mkdir(join(own, 'migrations'), { recursive: true });
    const config = prefix === undefined ? '' : `serviceTables: '${prefix}'`;
    const text = `import { defineConfig } from 'gatewright';\nexport default defineConfig({ ${config} });\n`;
    await writeFile(join(own, 'gatewright.config.ts'), text);
    return (argv: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      process.chdir(own);
      return run(argv, { env: { ...env, DATA_DIR: folder, ...more } });
    };
  };
};

describeEachDatabase('gatewright migrate with another prefix than that of the database', (databases) => {
  it.each([
    ['app_', undefined, true],
    [undefined, 'app_', true],
    [undefined, 'gatewright_', false],
    ['one_', 'two_', true],
  ] as const)('made with %s, then %s: one sentence, and nothing is changed', async (was, is, beside) => {
    const url = await databases.create();
    const commands = await commandsOf({ DATABASE_URL: url });
    const [first, second] = [await commands(was), await commands(is)];
    expect(await first(['migrate'])).toMatchObject({ status: 0 });
    const named = (prefix: string | undefined) =>
      prefix === undefined ? 'no serviceTables' : `serviceTables "${prefix}"`;
    const canShare = beside && databases.dialect === 'postgres';
    const more = canShare ? '; for a second service beside it start once with NEW_DATABASE=1' : '';
    for (const argv of [
      ['migrate', '--plan'],
      ['migrate', '--plan', '--json'],
      ['migrate', '--check'],
      ['migrate', '--undo'],
      ['migrate'],
      ['generate', 'migration', 'more'],
    ])
      expect([argv, await second(argv)]).toEqual([
        argv,
        {
          status: 1,
          stdout: '',
          stderr: `gatewright: the tables of the service in this database were made with ${named(was)}, and gatewright.config.ts says ${named(is)}: nothing was changed${more}\n`,
        },
      ]);
    expect(await first(['migrate', '--check'])).toMatchObject({ status: 0 });
    const asked = await second(['migrate', '--plan'], { NEW_DATABASE: '1' });
    if (canShare) expect(asked.stdout).toContain(`create table "${is === undefined ? '' : is}users"`);
    else expect(asked.status).toBe(1);
  });

  it('a new database and the own prefix are planned', async () => {
    const commands = await commandsOf({ DATABASE_URL: await databases.create() });
    const command = await commands('app_');
    const planned = await command(['migrate', '--plan']);
    expect([planned.status, planned.stdout]).toEqual([
      0,
      expect.stringContaining('create table "app_users"'),
    ]);
    expect(await command(['migrate'])).toMatchObject({ status: 0 });
    expect(await command(['migrate', '--plan'])).toMatchObject({
      stdout: '-- The database is up to date.\n',
    });
  });
});
