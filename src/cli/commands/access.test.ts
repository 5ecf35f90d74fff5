import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../test-io.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = process.cwd();
let folder = '';

const order = (
  rules: string,
): string => `import { anyOf, defineResource, equals, field, own } from 'gatewright';

export default defineResource('Order', {
  label: { en: 'Order', 'zh-CN': '订单' },
  fields: {
    user_id: field.owner(),
    state: field.enum(['open', 'paid'], { required: true }),
    note: field.text(),
  },
${rules}
});
`;

const endpoint = `import { defineEndpoint } from 'gatewright';

export default defineEndpoint({ method: 'POST', path: '/close', handle: () => ({ closed: true }) });
`;

/** Applications by name: the rules of their orders, and their other files. */
const applications: Readonly<
  Record<string, readonly [rules: string, files?: Readonly<Record<string, string>>]>
> = {
  before: ['  isolation: own(),'],
  wider: ["  isolation: anyOf(own(), equals('state', 'paid')),"],
  reworded: ['  isolation: anyOf(own(), own()),'],
  coded: ['  isolation: own(),', { 'endpoints/close.ts': endpoint }],
  broken: ["  isolation: equals('status', 'paid'),"],
};

// Inside the repository, so that what is written there finds the package that it imports.
beforeAll(async () => {
  await mkdir(join(root, 'reports'), { recursive: true });
  folder = await mkdtemp(join(root, 'reports', 'access-'));
  for (const [name, [rules, files = {}]] of Object.entries(applications))
    for (const [path, text] of Object.entries({ 'resources/order.ts': order(rules), ...files })) {
      await mkdir(join(folder, name, path, '..'), { recursive: true });
      await writeFile(join(folder, name, path), text);
    }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const access = async (application: string, ...args: readonly string[]) => {
  process.chdir(join(folder, application));
  try {
    return await run(['access', ...args]);
  } finally {
    process.chdir(home);
  }
};

describe('gatewright access', () => {
  const lock = '../before/access.lock';

  beforeAll(async () => {
    expect(await access('before', '--lock')).toEqual({
      status: 0,
      stdout: expect.stringContaining('access.lock\n'),
      stderr: '',
    });
  });

  it('prints who can do what, in both languages', async () => {
    const { status, stdout, stderr } = await access('before');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('`Order`\n  all signed-in users (token)\n');
    expect(stdout).toContain(
      '    may list, read, create, change, delete: records where `user_id` is the caller\n',
    );
    expect(stdout).toMatch(/^ {4}see: created_at, id, note, state, updated_at, user_id$/m);
    expect(stdout).toMatch(
      /administrators \(`admin`\) and users with the role `super_admin` \(token\)\n {4}may list/,
    );
    const chinese = await access('before', '--lang', 'zh-CN');
    expect(chinese.stdout).toContain(
      '订单 `Order`\n  每个已登录的用户（令牌）\n    可列出、读取、新增、修改、删除：',
    );
    expect(chinese.stdout).toContain('满足以下条件的记录：');
    expect((await access('before', '--lang', 'de')).status).toBe(2);
  });

  it('prints the policy as JSON', async () => {
    const { stdout } = await access('coded', '--json');
    const { rights, not_decided } = JSON.parse(stdout);
    expect(rights).toContainEqual({
      model: 'Order',
      actions: ['list', 'detail', 'create', 'update', 'destroy'],
      callers: ['user'],
      methods: ['jwt'],
      verb: 'records',
      condition: 'own(user_id)',
      words: 'records where `user_id` is the caller',
    });
    expect(not_decided).toEqual([{ model: 'POST /api/v1/close', code: 'handle' }]);
  });

  it('a check of the same application succeeds', async () => {
    expect(await access('before', '--check')).toEqual({
      status: 0,
      stdout: 'No access was gained or lost.\n',
      stderr: '',
    });
    const { status, stdout } = await access('before', '--check', '--json');
    const verdicts = JSON.parse(stdout).map(({ verdict, changed }: Record<string, unknown>) => [
      verdict,
      changed,
    ]);
    expect([status, verdicts.length]).toEqual([0, 10]);
    expect(new Set(verdicts.map(String))).toEqual(new Set(['equal,false']));
  });

  it('a check says who gained what, with a record and a caller, and exits with 1', async () => {
    const { status, stdout, stderr } = await access('wider', '--check', '--against', lock);
    expect(status).toBe(1);
    expect(stderr).toContain('gained: 1, lost: 0, not decided: 0');
    expect(stdout).toContain(
      'Gained\n  All signed-in users (token) can now list, read, create, change and delete records of `Order` that',
    );
    expect(stdout).toContain('    before: records where `user_id` is the caller\n');
    expect(stdout).toContain('    now: records where `user_id` is the caller, or `state` is `paid`\n');
    expect(stdout).toMatch(/for example user \d+ and Order \{ .*state: "paid".* \}$/m);
    const chinese = await access('wider', '--check', '--against', lock, '--lang', 'zh');
    expect(chinese.stdout).toContain(
      '新增的权限\n  每个已登录的用户（令牌）现在可以列出、读取、新增、修改和删除',
    );
  });

  it('a check in JSON has a list of verdicts', async () => {
    const { status, stdout } = await access('wider', '--check', '--against', lock, '--json');
    const changes: readonly Record<string, unknown>[] = JSON.parse(stdout);
    expect(status).toBe(1);
    const list = changes.find(({ action, changed }) => action === 'list' && changed === true);
    expect(list).toMatchObject({
      model: 'Order',
      callers: ['user'],
      verdict: 'wider',
      gained: expect.stringContaining('can now list'),
      lost: null,
      witness: { caller: expect.any(Number), record: { state: 'paid' }, related: [] },
    });
  });

  it('a check succeeds where only the words are others', async () => {
    const { status, stdout } = await access('reworded', '--check', '--against', lock);
    expect([status, stdout]).toEqual([
      0,
      'No access was gained or lost.\n\nThe same in other words\n  `Order`: list, read, create, change and delete\n',
    ]);
  });

  it('a check exits with 2 where code is new', async () => {
    const { status, stdout, stderr } = await access('coded', '--check', '--against', lock);
    expect([status, stderr]).toEqual([2, expect.stringContaining('not decided: 1')]);
    expect(stdout).toContain('Not decided: code\n  POST /api/v1/close handle is new\n');
  });

  it.each([
    ['models that do not load', 'broken', lock, 'nothing was compared: '],
    [
      'no lock file',
      'before',
      'none.lock',
      'none.lock: there is no such file: gatewright access --lock writes it',
    ],
    ['a directory', 'before', '../before', 'is a directory'],
    [
      'an edited lock file',
      'before',
      'edited.lock',
      'edited.lock: it was edited manually, as its checksum says',
    ],
    [
      'one of another version',
      'before',
      'later.lock',
      'later.lock: it has version 2, and this gatewright reads version 1',
    ],
  ])('a check exits with 2 and a sentence for %s', async (_title, application, against, because) => {
    const text = await readFile(join(folder, 'before/access.lock'), 'utf8');
    await writeFile(join(folder, 'before/edited.lock'), text.replace('own(user_id)', 'everything'));
    await writeFile(join(folder, 'before/later.lock'), text.replace('version 1', 'version 2'));
    const { status, stdout, stderr } = await access(application, '--check', '--against', against);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(because);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('an application of init has the lock file of its model', async () => {
    const made = join(folder, 'made');
    expect((await run(['init', made])).status).toBe(0);
    expect(await access('made', '--check')).toMatchObject({
      status: 0,
      stdout: 'No access was gained or lost.\n',
    });
    // The entry that keeps lock files of databases out of the repository leaves this one in.
    expect(await readFile(join(made, '.gitignore'), 'utf8')).toContain('*.lock\n!access.lock\n');
  });

  it('writes SARIF with the place of the rule', async () => {
    const { status } = await access('wider', '--check', '--against', lock, '--sarif', 'out/access.sarif');
    expect(status).toBe(1);
    const log = JSON.parse(await readFile(join(folder, 'wider/out/access.sarif'), 'utf8'));
    const [{ tool, results }] = log.runs;
    expect([log.version, tool.driver.name]).toEqual(['2.1.0', 'gatewright access']);
    expect(results).toHaveLength(1);
    const [{ ruleId, ruleIndex, level, message, locations }] = results;
    expect([tool.driver.rules[ruleIndex].id, ruleId, level]).toEqual([
      'access-gained',
      'access-gained',
      'error',
    ]);
    expect(message.text).toMatch(/^All signed-in users \(token\) can now list/);
    const [{ physicalLocation }] = locations;
    expect(physicalLocation.region.startLine).toBe(10);
    expect(join(root, decodeURI(physicalLocation.artifactLocation.uri))).toBe(
      join(folder, 'wider/resources/order.ts'),
    );
  });

  it('a check exits with 2 where it cannot write the SARIF file', async () => {
    const { status, stderr } = await access('before', '--check', '--sarif', 'access.lock/access.sarif');
    expect([status, stderr]).toEqual([2, expect.stringContaining('nothing was written')]);
  });

  it.each([
    ['--lock', '--check'],
    ['--lock', '--json'],
    ['--sarif', 'x.sarif'],
    ['--against', 'x.lock'],
  ])('refuses options of which one excludes the other: %s %s', async (...args) => {
    expect((await access('before', ...args)).status).toBe(2);
  });
});
