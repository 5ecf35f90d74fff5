import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/auth/api-key.ts';
import { run } from '../../src/cli/test-io.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Key, type Service, type TestUser, useService } from '../support/service.ts';

const execute = promisify(execFile);

interface Found {
  readonly file: string;
  readonly line: number;
  readonly commit?: string;
  readonly id: number;
  readonly name: string;
  readonly username: string;
  readonly status: string;
  readonly revoked: boolean;
}

interface Report {
  readonly found: readonly Found[];
  readonly texts: number;
  readonly bytes: number;
  readonly unread: readonly string[];
}

const foreign = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describeEachDatabase('leaked keys', (databases) => {
  const service = useService(databases);
  let folder = '';
  let user: TestUser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatewright-scan-'));
    user = await service.createUser();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const scan = (words: readonly string[], stdin?: string | Uint8Array) =>
    run(['scan', ...words], { env: service.env, ...(stdin === undefined ? {} : { stdin }) });
  const report = async (words: readonly string[], stdin?: string | Uint8Array) => {
    const { status, stdout } = await scan([...words, '--json'], stdin);
    return { status, report: JSON.parse(stdout) as Report };
  };
  const write = async (name: string, content: string | Uint8Array): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  const makeKey = (of: Service = service): Promise<Key> => of.createKey(user);

  it('leaked keys in files are reported by file, line, owner and name, and never shown', async () => {
    const { id, key } = await makeKey();
    const path = await write('env', `# test\nDIGEST=${foreign}\nAPI_KEY=${key}\n`);
    const { status, stdout, stderr } = await scan([path]);
    expect([status, stdout]).toEqual([
      1,
      `${path}:3: key "key of ${user.username}" (id ${id}) of ${user.username}: active\n`,
    ]);
    expect(stderr).toBe('gatewright: found 1 key in 1 place\n');
    expect((await report([path])).report.found).toMatchObject([
      { file: path, line: 3, id, username: user.username, status: 'active', revoked: false },
    ]);
    for (const words of [[path], [path, '--json']]) {
      const result = await scan(words);
      expect(result.stdout + result.stderr).not.toContain(key.slice(0, 16));
    }
    expect((await service.get('/api/v1/users', { key })).status).toBe(200);
  });

  it('leaked keys are found in standard input, in other encodings and in binary data', async () => {
    const { id, key } = await makeKey();
    const texts = [
      `curl -H 'X-Api-Key: ${key}'`,
      `{"url":"https://a.example/?key%3D${key}"}`,
      Buffer.from(`\ufeffkey\n${key}`, 'utf16le'),
      Buffer.concat([Buffer.from([0, 255, 7, 10, 0]), Buffer.from(key), Buffer.from([0, 1])]),
      key.toUpperCase(),
    ];
    for (const text of texts) {
      const { status, report: result } = await report([], text);
      expect([status, result.found.map((each) => each.id)]).toEqual([1, [id]]);
      expect(result.found[0]?.file).toBe('(standard input)');
    }
    const clean = await scan([], `nothing ${foreign}`);
    expect([clean.status, clean.stdout]).toEqual([0, 'no key in 1 text, 0.0 MB\n']);
  });

  it('leaked keys of every kind are found: present, replaced, expired and revoked ones', async () => {
    const { id, key: first } = await makeKey();
    const rotate = async (overlap: number) =>
      (await service.ok<Key>('POST', `/api/v1/api_keys/${id}/rotate`, { token: user, body: { overlap } }))
        .key;
    const second = await rotate(0);
    const third = await rotate(3_600);
    const expired = await service.createKey(user, '2020-01-01T00:00:00Z');
    const text = [first, second, third, expired.key, foreign].join('\n');
    const statuses = async () =>
      (await report([], text)).report.found.map(({ line, status }) => [line, status]).sort();
    expect(await statuses()).toEqual([
      [1, 'replaced'],
      [2, 'active'],
      [3, 'active'],
      [4, 'expired'],
    ]);
    await service.ok('DELETE', `/api/v1/api_keys/${id}`, { token: user });
    expect(await statuses()).toEqual([
      [1, 'revoked'],
      [2, 'revoked'],
      [3, 'revoked'],
      [4, 'expired'],
    ]);
    const { stdout } = await scan([], first);
    expect(stdout).toMatch(/: revoked on \d{4}-\d\d-\d\dT/);
  });

  it('leaked keys are revoked on demand, with both secrets and a line in the audit log', async () => {
    const [leaked, kept] = [await makeKey(), await makeKey()];
    const { key: present } = await service.ok<Key>('POST', `/api/v1/api_keys/${leaked.id}/rotate`, {
      token: user,
      body: { overlap: 3_600 },
    });
    const replaced = await makeKey();
    await service.ok('POST', `/api/v1/api_keys/${replaced.id}/rotate`, {
      token: user,
      body: { overlap: 0 },
    });
    // The secret that still works is not the one that leaked.
    const text = `${leaked.key}\n${leaked.key}\n${replaced.key}\n`;
    const { status, report: result } = await report(['--revoke'], text);
    expect(status).toBe(1);
    expect(result.found.map(({ id, line, revoked }) => [id, line, revoked])).toEqual(
      expect.arrayContaining([
        [leaked.id, 1, true],
        [leaked.id, 2, true],
        [replaced.id, 3, false],
      ]),
    );
    for (const key of [leaked.key, present])
      expect((await service.get('/api/v1/users', { key })).status).toBe(401);
    expect((await service.get('/api/v1/users', { key: kept.key })).status).toBe(200);
    const listed = await service.ok<{ id: number }[]>('GET', '/api/v1/api_keys', { token: user });
    expect(listed.map(({ id }) => id)).toContain(replaced.id);
    const [entry] = await service.ok<object[]>(
      'GET',
      `/admin/audit?filter[action]=key.delete&filter[target_id]=${leaked.id}`,
      { token: await service.admin() },
    );
    expect(entry).toMatchObject({
      actor_kind: 'command line',
      detail: { user_id: user.id, leaked: true },
    });
    const again = await report(['--revoke'], text);
    expect(again.report.found.map(({ status: state, revoked }) => [state, revoked])).toContainEqual([
      'revoked',
      false,
    ]);
  });

  it('below folders: links are not followed, and what cannot be read is named', async () => {
    const { id, key } = await makeKey();
    const root = join(folder, 'tree');
    await mkdir(join(root, 'deep/er'), { recursive: true });
    await write('outside', key);
    await writeFile(join(root, 'deep/er/a b.txt'), `\n\n${key}`);
    await symlink(root, join(root, 'circle'));
    await symlink(join(folder, 'outside'), join(root, 'link'));
    await symlink(join(folder, 'missing'), join(root, 'broken'));
    await execute('mkfifo', [join(root, 'pipe')]);
    const { status, report: result } = await report([root, join(folder, 'absent')]);
    expect(status).toBe(1);
    expect(result.found.map(({ file, line }) => [file, line])).toEqual([[join(root, 'deep/er/a b.txt'), 3]]);
    expect(result.found[0]?.id).toBe(id);
    expect(result.unread).toEqual([`${join(folder, 'absent')}: ENOENT`]);
    // A link that is named is followed.
    expect((await report([join(root, 'link')])).report.found).toHaveLength(1);
    const absent = await scan([join(folder, 'absent')]);
    expect([absent.status, absent.stderr.includes('ENOENT')]).toEqual([3, true]);
  });

  it.runIf(process.getuid?.() !== 0)('names a file that may not be read', async () => {
    const path = await write('secret', 'x');
    await chmod(path, 0);
    const result = await scan([path]);
    expect([result.status, result.stderr.includes('EACCES')]).toEqual([3, true]);
  });

  it('leaked keys print no character that a terminal would obey', async () => {
    const { key } = await service.ok<Key>('POST', '/api/v1/api_keys', {
      token: user,
      body: { api_key: { name: 'a\u001b[31m\u202eb' } },
    });
    const path = await write('line\n\u001b]0;x', key);
    const { stdout } = await scan([path]);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202e');
  });

  it('leaked keys are found in one line of many megabytes, and many times', async () => {
    const { key } = await makeKey();
    const line = `${'x'.repeat(7)}${key}`.repeat(30_000);
    const { status, report: result } = await report([], line);
    expect([status, result.found.length]).toEqual([1, 30_000]);
    expect(new Set(result.found.map((each) => each.line))).toEqual(new Set([1]));
  });

  it('among very many digests, which are compared in memory', async () => {
    const [{ id, key }, revoked] = [await makeKey(), await makeKey()];
    await service.ok('DELETE', `/api/v1/api_keys/${revoked.id}`, { token: user });
    const digests = Array.from({ length: 60_000 }, (_, index) => hashKey(String(index)));
    const lines = [...digests.slice(0, 50_000), key, ...digests.slice(50_000), revoked.key];
    const path = await write('digests', lines.join('\n'));
    const { report: result } = await report([path]);
    expect(result.found.map((each) => [each.id, each.line, each.status])).toEqual([
      [id, 50_001, 'active'],
      [revoked.id, 60_002, 'revoked'],
    ]);
  });

  it('no text is called clean without the database', async () => {
    const env = { ...service.env, DATABASE_URL: 'postgres://127.0.0.1:1/none', DATABASE_WAIT: '0' };
    expect((await run(['scan'], { env, stdin: 'x' })).status).toBe(3);
    expect((await run(['scan', '--nothing'], { env: service.env })).status).toBe(2);
    expect((await run(['scan'], { env: service.env, interactive: true })).status).toBe(2);
  });

  describe('in a repository', () => {
    let repository = '';
    const git = (...words: string[]) =>
      execute('git', ['-C', repository, '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...words]);
    const commit = async (name: string, content: string, message = 'change'): Promise<string> => {
      await writeFile(join(repository, name), content);
      await git('add', '--all');
      await git('commit', '--quiet', '--message', message);
      return (await git('rev-parse', 'HEAD')).stdout.trim();
    };
    beforeAll(async () => {
      repository = join(folder, 'repository');
      await mkdir(repository);
      await git('init', '--quiet', '--initial-branch=main');
    });

    it('leaked keys are found in versions, branches, stashes, messages and what was rebased away', async () => {
      const names = ['removed', 'branch', 'amended', 'message', 'tag', 'staged', 'present'] as const;
      const keys = new Map<string, Key>();
      for (const name of names) keys.set(name, await makeKey());
      const keyOf = (name: (typeof names)[number]): string => keys.get(name)?.key ?? '';
      await commit('readme', 'hello\n');
      const first = await commit('config with space', `a\n\n${keyOf('removed')}\n`);
      await commit('config with space', 'clean\n');
      await git('checkout', '--quiet', '-b', 'other');
      await commit('b', keyOf('branch'));
      await git('checkout', '--quiet', 'main');
      await commit('c', keyOf('amended'));
      await writeFile(join(repository, 'c'), 'clean\n');
      await git('commit', '--quiet', '--all', '--amend', '--message', 'clean');
      const said = await commit('d', 'd', `message with ${keyOf('message')}`);
      await git('tag', '--annotate', 'v1', '--message', keyOf('tag'));
      await commit('present', keyOf('present'));
      await writeFile(join(repository, 'staged'), keyOf('staged'));
      await git('add', 'staged');

      const { status, report: result } = await report(['--git', repository]);
      expect(status).toBe(1);
      const found = new Map(result.found.map((each) => [each.id, each]));
      const shown = names.map((name) => found.get(keys.get(name)?.id ?? 0)?.file);
      expect(shown).toEqual([
        'config with space',
        'b',
        'c',
        '(commit message)',
        '(tag message)',
        'staged',
        'present',
      ]);
      expect(found.get(keys.get('removed')?.id ?? 0)).toMatchObject({ line: 3, commit: first });
      expect(found.get(keys.get('message')?.id ?? 0)?.commit).toBe(said);
      // The work tree alone has two of them.
      expect((await report([join(repository, 'present')])).report.found).toHaveLength(1);
      const plain = await scan(['--git', repository]);
      expect(plain.stdout).toContain(`config with space:3 (commit ${first.slice(0, 12)}): key`);
      expect(result.unread).toEqual([]);
    });

    it('leaked keys are found in another work tree, in a bare copy and in several repositories at once', async () => {
      const { id, key } = await makeKey();
      const tree = join(folder, 'second tree');
      await git('worktree', 'add', '--quiet', '-b', 'second', tree);
      await writeFile(join(tree, 'second'), key);
      await execute('git', ['-C', tree, 'add', 'second']);
      const bare = join(folder, 'bare.git');
      await execute('git', ['clone', '--quiet', '--bare', repository, bare]);
      const places = async (...paths: string[]) =>
        (await report(['--git', ...paths])).report.found.filter((found) => found.id === id).length;
      // Staged in a work tree: it is not in the copy.
      expect([await places(join(tree)), await places(repository), await places(bare)]).toEqual([1, 1, 0]);
      expect(await places(repository, bare)).toBe(1);
    });

    it('the search runs no program that the configuration of a repository names', async () => {
      const { id, key } = await makeKey();
      const trapped = join(folder, 'trapped');
      const ran = join(folder, 'ran');
      const trap = join(folder, 'trap.sh');
      await writeFile(trap, `#!/bin/sh\necho "$0 $* $JWT_SECRET" >> ${ran}\ncat\n`, { mode: 0o755 });
      const inTrapped = (...words: string[]) =>
        execute('git', ['-C', trapped, '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...words]);
      await mkdir(trapped);
      await inTrapped('init', '--quiet', '--initial-branch=main');
      await writeFile(join(trapped, '.gitattributes'), '* diff=trap filter=trap merge=trap\n');
      await writeFile(join(trapped, 'config.txt'), `a\n${key}\n`);
      await inTrapped('add', '--all');
      await inTrapped('commit', '--quiet', '--message', 'first');
      // A commit with a signature, which `git log` would have a program check.
      const { stdout: head } = await inTrapped('cat-file', 'commit', 'HEAD');
      const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n YQ==\n -----END PGP SIGNATURE-----';
      await writeFile(
        join(folder, 'signed'),
        head.replace(/\ncommitter (.*)\n/, `\ncommitter $1\n${signature}\n`),
      );
      const signed = await inTrapped('hash-object', '-t', 'commit', '-w', join(folder, 'signed'));
      await inTrapped('update-ref', 'refs/heads/main', signed.stdout.trim());
      // An object that git would fetch.
      await writeFile(join(trapped, 'absent'), 'absent\n');
      await inTrapped('add', '--all');
      await inTrapped('commit', '--quiet', '--message', 'second');
      const { stdout: absent } = await inTrapped('rev-parse', 'HEAD:absent');
      await rm(join(trapped, '.git/objects', absent.slice(0, 2), absent.trim().slice(2)));
      const programs = [
        ...[
          'core.fsmonitor',
          'core.pager',
          'core.editor',
          'core.sshCommand',
          'core.gitProxy',
          'core.askPass',
        ],
        ...[
          'core.alternateRefsCommand',
          'gpg.program',
          'gpg.ssh.program',
          'diff.external',
          'diff.trap.command',
        ],
        ...['diff.trap.textconv', 'filter.trap.clean', 'filter.trap.smudge', 'filter.trap.process'],
        ...[
          'merge.trap.driver',
          'credential.helper',
          'uploadpack.packObjectsHook',
          'pager.log',
          'pager.rev-list',
        ],
      ];
      for (const name of programs) await inTrapped('config', '--add', name, trap);
      const more = `
[include]
\tpath = ${join(folder, 'included')}
[core]
\trepositoryformatversion = 1
\thooksPath = ${folder}
\tworktree = ${folder}
[log]
\tshowSignature = true
[filter "trap"]
\trequired = true
[protocol "ext"]
\tallow = always
[remote "origin"]
\turl = ext::${trap}
\tpromisor = true
\tpartialclonefilter = blob:none
[extensions]
\tpartialClone = origin
[alias]
\trev-list = !${trap}
\tcat-file = !${trap}
`;
      await appendFile(join(trapped, '.git/config'), more);
      await writeFile(join(folder, 'included'), `[core]\n\tfsmonitor = ${trap}\n`);
      for (const name of ['post-index-change', 'reference-transaction'])
        await symlink(trap, join(trapped, '.git/hooks', name));

      const { status, report: result } = await report(['--git', trapped]);
      expect(await readFile(ran, 'utf8').catch(() => 'nothing ran')).toBe('nothing ran');
      expect([status, result.found.map((found) => [found.id, found.file, found.line])]).toEqual([
        1,
        [[id, 'config.txt', 2]],
      ]);
      expect(result.unread).toEqual([`${absent.trim()}: the object is missing`]);
    });

    it('the search of a repository is refused where there is none', async () => {
      const empty = join(folder, 'no-repository');
      await mkdir(empty);
      const result = await scan(['--git', empty]);
      expect([result.status, result.stderr.includes('not a git repository')]).toEqual([3, true]);
      await execute('git', ['-C', empty, 'init', '--quiet']);
      expect((await scan(['--git', empty])).status).toBe(0);
    });
  });
});
