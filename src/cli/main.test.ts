import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { registry } from './registry.ts';
import { run } from './test-io.ts';

const noCommand = (words: string, near: string): string =>
  `gatewright: no command '${words}': the nearest is "${near}"; gatewright --help lists them\n`;

describe('gatewright', () => {
  it('lists every command with its summary', async () => {
    const { status, stdout, stderr } = await run(['--help']);
    expect([status, stderr]).toEqual([0, '']);
    for (const [name, { summary }] of registry)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  it('leads to the handbook of this package', async () => {
    const { stdout } = await run(['--help']);
    const [, folder = ''] = /^The handbook is in (.+): begin with quick-start\.md\.$/m.exec(stdout) ?? [];
    expect(existsSync(join(folder, 'quick-start.md'))).toBe(true);
    expect(stdout).toContain('/api-docs/handbook');
  });

  it('lists the commands of a group', async () => {
    const { status, stdout } = await run(['app', '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('app rotate');
    expect(stdout).not.toContain('credentials');
  });

  it.each([
    [['help'], ['--help']],
    [
      ['help', 'app'],
      ['app', '--help'],
    ],
    [
      ['help', 'app', 'create'],
      ['app', 'create', '--help'],
    ],
  ])('%j says what %j does', async (words, option) => {
    const said = await run(words);
    expect(said).toEqual(await run(option));
    expect(said.status).toBe(0);
  });

  it('names only documents that the package holds, where an application has them', async () => {
    const root = new URL('../../', import.meta.url);
    const { files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    const helps = await Promise.all([...registry].map(async ([name]) => run([...name.split(' '), '--help'])));
    const named = helps.flatMap(({ stdout }) => [...stdout.matchAll(/\S*(?<![\w-])((docs|examples)\/\S*)/g)]);
    expect(named.length).toBeGreaterThan(0);
    for (const [whole, path = '', top = ''] of named) {
      expect(whole).toBe(`node_modules/gatewright/${path}`);
      expect([path, files.includes(top) && existsSync(new URL(path, root))]).toEqual([path, true]);
    }
  });

  it('prints its version', async () => {
    expect(await run(['--version'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it.each([
    [[], 'gatewright: which command? gatewright --help lists them\n'],
    [['strat'], noCommand('strat', 'start')],
    [['strat', '--help'], noCommand('strat', 'start')],
    [['app'], 'gatewright: app what? gatewright app --help lists them\n'],
    [['app', 'crate'], noCommand('app crate', 'app create')],
    [['gen', 'resorce', 'Book'], noCommand('gen resorce', 'generate resource')],
    [['genrate', 'client'], noCommand('genrate client', 'generate client')],
    [['generate', 'jbo'], noCommand('generate jbo', 'generate job')],
    [['usr', 'create'], noCommand('usr create', 'user create')],
    [['constructor'], noCommand('constructor', 'console')],
    [['app', 'create'], 'gatewright: app create: ID is missing (gatewright app create --help)\n'],
    [
      ['app', 'create', 'a', 'b'],
      "gatewright: app create: unexpected argument 'b' (gatewright app create --help)\n",
    ],
    [
      ['app', 'list', '--bogus'],
      `gatewright: app list: Unknown option '--bogus': the nearest is "--json" (gatewright app list --help)\n`,
    ],
    [
      ['user', 'create', '--usrname=x'],
      `gatewright: user create: Unknown option '--usrname': the nearest is "--username" (gatewright user create --help)\n`,
    ],
    [['app', 'list', '-x'], "gatewright: app list: Unknown option '-x' (gatewright app list --help)\n"],
    [
      ['app', 'rotate', 'a', '--grace', '1w'],
      'gatewright: app rotate: --grace takes a duration such as 30s, 10m, 1h or 7d (gatewright app rotate --help)\n',
    ],
  ])('answers 2 and one line for %j', async (argv, stderr) => {
    expect(await run(argv)).toEqual({ status: 2, stdout: '', stderr });
  });

  it('puts all mistakes of the configuration on one line', async () => {
    const { status, stderr } = await run(['app', 'list'], { env: { PORT: 'x', LOG_LEVEL: 'loud' } });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^gatewright: PORT: .*; LOG_LEVEL: .*\n$/);
  });
});

describe.each([...registry.keys()])('gatewright %s --help', (name) => {
  it('shows usage, options and an example of its own', async () => {
    const { status, stdout, stderr } = await run([...name.split(' '), '--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: gatewright ${name}`);
    expect(stdout).toMatch(new RegExp(`Examples:\n(.*\n)*.*gatewright ${name}\\b`));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});
