import { describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { useService } from '../../../tests/support/service.ts';
import { fileOf } from '../../../tests/support/transfer.ts';
import { systemClock } from '../../kernel/clock.ts';
import { testIo } from '../test-io.ts';
import { formatOf } from './transfer-options.ts';
import { type AskedUserImport, UserImport, type UserImportResult } from './user-import.ts';

/** Of `correct horse`, by Python's hashlib. */
const hash = 'pbkdf2:sha256:1000$salt$6e8453a042a842bdb62de0d3c870ec1241e90ec0ce4f2589ab5e87927122c1e5';

type Outcome = { readonly result?: UserImportResult; readonly failure?: string; readonly stderr: string };

describeEachDatabase('gatewright user import', (databases) => {
  const service = useService(databases, { env: { LOCALE: 'en' } });

  const load = async (
    text: string,
    { name = 'users.csv', ...options }: Partial<AskedUserImport> & { readonly name?: string } = {},
  ): Promise<Outcome> => {
    const path = await fileOf(text, name);
    const { io, written } = testIo();
    const asked = { path, format: formatOf(path), check: false, skipExisting: false, ...options };
    const { database } = service.server.services;
    try {
      const result = await new UserImport(io, asked, { database, clock: systemClock }).run();
      return { result, stderr: written().stderr };
    } catch (error) {
      return {
        failure: (error as Error).message.replace(path, name),
        stderr: written().stderr.replaceAll(path, name),
      };
    }
  };
  const stored = async (username: string) => {
    const rows = await service.server.services.database.all<Record<string, unknown>>({
      sql: `select u.*, (select count(*) from user_roles r where r.user_id = u.id) as roles from users u where username = '${username}'`,
      parameters: [],
    });
    return rows[0];
  };
  const signIn = (account: string, password = 'correct horse') =>
    service.request('POST', '/api/v1/auth/login', { body: { account, password } });

  it('the command creates users with the connections that it opens itself', async () => {
    const path = await fileOf(`email,password_hash\nown@example.com,${hash}`, 'users.csv');
    await service.command('user', 'import', path);
    expect((await signIn('own@example.com')).status).toBe(200);
    await service.command('user', 'import', path, '--skip-existing');
  });

  describe('files', () => {
    it('users of a CSV file sign in with their passwords, which are then hashed by argon2id', async () => {
      const { result, stderr } = await load(
        [
          'username,email,name,roles,password_hash,disabled',
          `ada,ada@example.com,Ada L.,admin viewer,${hash},f`,
          `bob,bob@example.com,,,${hash},t`,
        ].join('\n'),
      );
      expect([result, stderr]).toEqual([{ created: 2, skipped: 0 }, '']);
      expect(await stored('ada')).toMatchObject({ name: 'Ada L.', password_hash: hash });
      expect(Number((await stored('ada'))?.['roles'])).toBe(2);
      expect((await signIn('ada', 'correct horsf')).status).toBe(401);
      expect(await stored('ada')).toMatchObject({ password_hash: hash });
      expect((await signIn('ada@example.com')).status).toBe(200);
      expect(await stored('ada')).toMatchObject({ password_hash: expect.stringMatching(/^\$argon2id\$/) });
      expect((await signIn('ada')).status).toBe(200);
      expect((await signIn('bob')).status).toBe(401);
    });

    it('lines of JSON are read too; a username is made from an address, and a user without a hash has no password', async () => {
      const lines = [
        { email: 'carol+news@example.com', roles: ['viewer'], password_hash: hash },
        { email: 'carol@example.org', name: 'Carol the other' },
        { username: 'dan', email: 'dan@example.com', password_hash: '', must_change_password: true },
      ];
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      expect(await load(text, { name: 'users.jsonl' })).toMatchObject({ result: { created: 3, skipped: 0 } });
      expect(await stored('carol')).toMatchObject({ email: 'carol+news@example.com', name: 'carol' });
      expect((await signIn('carol@example.org')).status).toBe(401);
      expect((await signIn('dan', '')).status).toBe(422);
      expect(await stored('dan')).toMatchObject({ password_hash: '' });
    });

    it('each refused line is named with its flaws and without its hash, and nothing is written', async () => {
      await load('username,email\nada,ada@example.com\n');
      const text = [
        'username,email,password_hash,roles',
        `eve,eve@example.com,${hash},`,
        'f@il,fail@example.com,,',
        `gus,ada@example.com,$1$secret$irWbblnpmw.5z7wgBnprh0,`,
        'EVE,eve2@example.com,,',
        'hal,hal@example.com,,conductor',
        'ivy,ivy@example.com',
        '"jan,jan@example.com,,',
      ].join('\n');
      const { failure, stderr } = await load(`${text}"\n`);
      expect(failure).toBe('users.csv: 6 lines are refused; nothing was imported');
      expect(stderr.split('\n')).toEqual([
        expect.stringMatching(/^users\.csv: line 3: Username has the wrong format$/),
        'users.csv: line 4: Email is already taken, password_hash is no hash of argon2, bcrypt, PBKDF2, scrypt within the limits',
        'users.csv: line 5: username stands in line 2 already',
        expect.stringMatching(/^users\.csv: line 6: .*role/i),
        'users.csv: line 7: it has 2 cells, and the first line 4',
        expect.stringMatching(/^users\.csv: line 8: it has 1 cells/),
        '',
      ]);
      expect(stderr).not.toContain('irWbb');
      expect(await stored('eve')).toBeUndefined();
    });

    it('a second run passes over the users of the first one if it is asked to', async () => {
      const text = `username,email\nkim,kim@example.com\n`;
      expect(await load(text, { check: true })).toMatchObject({ result: { created: 1, skipped: 0 } });
      expect(await stored('kim')).toBeUndefined();
      expect(await load(text)).toMatchObject({ result: { created: 1 } });
      expect((await load(text)).failure).toBe('users.csv: one line is refused; nothing was imported');
      const longer = `${text}lea,lea@example.com\n`;
      expect(await load(longer, { skipExisting: true })).toMatchObject({
        result: { created: 1, skipped: 1 },
      });
    });

    it.each([
      ['', 'line 1, the names of the columns: the file is empty'],
      [
        'username,emial\n',
        'line 1, the names of the columns: there is no column "emial": the nearest is "email"; the columns are',
      ],
      ['email,email\n', 'line 1, the names of the columns: email stands there twice'],
      ['username,email\n"open', 'line 2: a double quote that opens in this record is never closed'],
    ])('the file %j is refused as a whole', async (text, message) => {
      expect((await load(text)).failure).toContain(message);
    });

    it('each user has a line in the audit log', async () => {
      await load(`username,email\nmax,max@example.com\n`);
      const audit = await service.ok<unknown[]>(
        'GET',
        '/admin/audit?filter[action]=user.create&filter[target_name]=max',
        { token: await service.admin() },
      );
      expect(audit).toMatchObject([{ actor_kind: 'command line', target_name: 'max' }]);
    });
  });

  it('thousands of users are created in transactions of some hundred', async () => {
    const lines = Array.from({ length: 1_050 }, (_, n) => `many-${n},many-${n}@example.com,${hash}`);
    const { result } = await load(['username,email,password_hash', ...lines].join('\n'));
    expect(result).toEqual({ created: 1_050, skipped: 0 });
    expect((await signIn('many-1049')).status).toBe(200);
  });
});
