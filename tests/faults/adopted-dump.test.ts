/** The dump of a schema that another program owns, by PostgreSQL's own `pg_dump`, around the whole life of a service. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adoptedShapes, loadShape, serveShape } from '../support/adopted.ts';
import { postgresAt } from '../support/databases.ts';
import { debianPrograms, hasDebianPostgres, startDebianPostgres } from '../support/debian-postgres.ts';
import { createPostgresDatabase } from '../support/postgres.ts';

/** The schema as SQL, without that of the service, and without the random word of a dump. */
const dumpOf = (url: string): string => {
  const options = ['--schema-only', '--exclude-schema=gatewright', '--dbname', url];
  const { status, stdout, stderr } = spawnSync(join(debianPrograms, 'pg_dump'), options, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`pg_dump: ${stderr}`);
  return stdout.replace(/^\\(?:un)?restrict .*$/gm, '');
};

describe.skipIf(!hasDebianPostgres)('the dump of an adopted schema', () => {
  it('the dump is the same to the byte before adopt, and after a service has started, written and stopped', async () => {
    const server = await startDebianPostgres();
    onTestFinished(() => server.remove());
    for (const name of adoptedShapes.postgres) {
      const url = await createPostgresDatabase(server.url);
      await loadShape(url, name);
      const before = dumpOf(url);
      expect(before).toContain('CREATE TABLE public.');
      const { service, asked, listed, models } = await serveShape(
        postgresAt(() => url),
        url,
        'gatewright.',
      );
      let written = 0;
      for (const { path, singular, stored } of models) {
        const [first] = await listed(`${path}?per_page=1`);
        if (first === undefined || stored.readOnly === true) continue;
        // An update of no values is a write all the same.
        const own = `${path}/${encodeURIComponent(first.id)}`;
        expect([path, (await asked('PATCH', own, { [singular]: {} })).status]).toEqual([path, 200]);
        written += 1;
      }
      expect([name, written > 0]).toEqual([name, true]);
      expect([name, dumpOf(url) === before]).toEqual([name, true]);
      await service.close();
      expect([name, dumpOf(url) === before]).toEqual([name, true]);
    }
  }, 180_000);
});
