import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isFixed } from '../../bin/runtime.js';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { databaseTarget } from '../database/targets.ts';
import { missingFixes, outdatedDatabase, outdatedNode } from './known-fixes.ts';

describe('versions without known fixes', () => {
  it.each([
    ['Node', '24.22.0'],
    ['Node', '25.9.1'],
    ['Node', '26.10.0'],
    ['Node', '26.12.0'],
    ['SQLite', '3.51.2'],
    ['PostgreSQL', '13.22'],
    ['PostgreSQL', '15.18'],
    ['PostgreSQL', '18.4'],
  ])('versions without known fixes are named: %s %s', (program, version) => {
    expect(missingFixes(program, version)).toMatch(`${program} ${version} lacks known fixes (`);
  });

  it.each([
    ['Node', '24.22.1'],
    ['Node', '24.23.0'],
    ['Node', '26.12.1'],
    ['Node', '27.0.0'],
    ['SQLite', '3.51.3'],
    ['SQLite', '3.54.0'],
    ['PostgreSQL', '15.20'],
    ['PostgreSQL', '18.10'],
    ['PostgreSQL', '19.0'],
  ])('versions with known fixes are not named: %s %s', (program, version) => {
    expect(missingFixes(program, version)).toBeUndefined();
  });

  it('the versions named are the same that the command refuses to run on', () => {
    for (const version of ['24.22.0', '24.22.1', '25.0.0', '26.12.0', '26.12.1', '27.1.0'])
      expect([version, outdatedNode(version).length === 0]).toEqual([version, isFixed(version)]);
    const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    for (const version of ['24.22.1', '26.12.1']) expect(engines.node).toContain(version);
  });
});

describeEachDatabase('the program behind a database', (databases) => {
  it('the program behind a database is asked for its version', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    await database.close();
    const version = {
      sqlite: process.versions['sqlite'],
      postgres: expect.stringMatching(/^PostgreSQL 18\.|^$/),
    };
    const [sentence = ''] = await databaseTarget(url).snapshot(({ ask, dialect }) =>
      outdatedDatabase(ask, dialect),
    );
    // The SQLite of a fixed Node has its fixes.
    if (url.startsWith('sqlite')) expect([sentence, version.sqlite]).toEqual(['', expect.any(String)]);
    else expect(sentence.split(' lacks')[0]).toEqual(version.postgres);
  });
});
