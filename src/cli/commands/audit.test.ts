import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditReport } from '../../app/audit-report.ts';
import { outdatedNode } from '../../app/known-fixes.ts';
import { run } from '../test-io.ts';

// The command reads the application that package.json names: examples/newsroom.
const audit = (...args: string[]) => run(['audit', ...args]);

describe('gatewright audit', () => {
  it('prints who can call what, and the rules that are off', async () => {
    const { status, stdout, stderr } = await audit();
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^METHOD +PATH +CREDENTIALS +WHO +RULES$/m);
    expect(stdout).toMatch(/^POST +\/api\/v1\/payment +signature +any caller who authenticates$/m);
    expect(stdout).toMatch(/^GET +\/api\/v1\/articles +- +anybody +where \{"published":true\}$/m);
    expect(stdout).toMatch(
      /^PATCH PUT +\/api\/v1\/orders\/:id +jwt, api_key +any caller who authenticates +permission update; own records only; restricted internal_note$/m,
    );
    expect(stdout).toMatch(/^POST +\/admin\/users +session, jwt +super_admin, admin$/m);
    expect(stdout).toMatch(/^Note +field_filtering, permission_check, isolation,.* OPEN: /m);
    expect(stdout).toMatch(/^Order +public_read$/m);
    expect(stdout).toMatch(/^Order +read, write +records where Owner `user_id` is the caller$/m);
  });

  it('prints the conditions on rows and on fields', async () => {
    const home = process.cwd();
    process.chdir(join(home, 'examples', 'teams'));
    try {
      const { stdout } = await audit();
      const endpoint = 'PATCH PUT +/api/v1/comments/:id .* rows by rule; restricted by rule; shows user';
      expect(stdout).toMatch(new RegExp(`^${endpoint}$`, 'm'));
      expect(stdout).toMatch(/^GET +\/api\/v1\/companies\/:id .* rows by rule; fields by rule$/m);
      expect(stdout).toMatch(/^Company +permission_check, /m);
      const agents = 'records where the caller owns a record of `Membership` .* is `agent` or `owner`';
      for (const [right, rows] of [
        ['manage', 'records where the caller owns a record of `Membership` .* `role` is `owner`'],
        ['write state, priority, assignee_id, internal_note, hours', agents],
        ['see internal_note, hours', agents],
        ['see id, name of assignee', 'records that they read'],
      ])
        expect(stdout).toMatch(new RegExp(`^ +${right} +${rows}$`, 'm'));
    } finally {
      process.chdir(home);
    }
  });

  it('fails with --strict where a resource is open, unless it is meant to be', async () => {
    const strict = await audit('--strict');
    expect(strict.status).toBe(1);
    expect(strict.stderr).toMatch(/left open: Note$/m);
    expect(await audit('--strict', '--allow', 'Note')).toMatchObject({ status: 0, stderr: '' });
    expect((await audit('--strict', '--allow', 'Nope')).status).toBe(2);
  });

  it('says why it did not look at a database, and fails by that never', async () => {
    const { status, stdout, stderr } = await run(['audit', '--json', '--strict', '--allow', 'Note'], {
      env: { DATABASE_URL: 'postgres://reader@127.0.0.1:1/none' },
    });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^the database was not looked at: .*\n$/)]);
    expect(JSON.parse(stdout)).toMatchObject({ missing_indexes: null });
  });

  it('names a database and a Node without known fixes', async () => {
    const { stdout } = await audit('--json');
    const programs: readonly string[] = JSON.parse(stdout).outdated;
    expect(programs.filter((sentence) => sentence.startsWith('Node '))).toEqual(outdatedNode());
  });

  it('prints one line of JSON', async () => {
    const { status, stdout } = await audit('--json', '--strict');
    expect([status, stdout.trimEnd().includes('\n')]).toEqual([1, false]);
    const report = JSON.parse(stdout) as AuditReport;
    expect(report.resources.map(({ model, open }) => [model, open])).toEqual([
      ['Article', false],
      ['Note', true],
      ['Order', false],
    ]);
  });
});
