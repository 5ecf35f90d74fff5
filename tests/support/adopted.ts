/** A database of another program, the models that `gatewright adopt` writes for it, and the service over both. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { loadApplication } from '../../src/app/application.ts';
import { run } from '../../src/cli/test-io.ts';
import type { DialectName } from '../../src/database/database.ts';
import type { RecordId } from '../../src/fields/key.ts';
import type { Databases } from './databases.ts';
import { startService } from './service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export type AdoptedRow = { readonly id: RecordId } & Readonly<Record<string, unknown>>;

/** The shapes of each database, by the names of their files in `tests/fixtures/adopt`. */
export const adoptedShapes: Readonly<Record<DialectName, readonly string[]>> = {
  postgres: ['rails', 'django', 'prisma', 'directus', 'chinook', 'pagila', 'kinds'],
  sqlite: ['chinook.sqlite', 'django.sqlite'],
};

/** Runs SQL as another program would, and returns the rows of the last statement as the driver reads them. */
export const asAnother = async (url: string, sql: string): Promise<readonly Record<string, unknown>[]> => {
  if (url.startsWith('sqlite:')) {
    using database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 10_000 });
    if (/^\s*select /i.test(sql)) return database.prepare(sql).all();
    database.exec(sql);
    return [];
  }
  const client = new pg.Client(url);
  await client.connect();
  try {
    const results: unknown = await client.query(sql);
    const last = (Array.isArray(results) ? results.at(-1) : results) as pg.QueryResult;
    return last.rows;
  } finally {
    await client.end();
  }
};

/** Loads a shape into a fresh database. */
export const loadShape = async (url: string, name: string): Promise<void> => {
  await asAnother(url, await readFile(join(root, 'tests/fixtures/adopt', `${name}.sql`), 'utf8'));
};

/** Runs a command in a folder. */
const within = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  const home = process.cwd();
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(home);
  }
};

/** A folder whose models `adopt` has written. `serviceTables` leaves `users` and other names to the program. */
export const adoptInto = async (url: string, serviceTables = 'gatewright_') => {
  await mkdir(join(root, 'reports'), { recursive: true });
  // Inside the repository, so that the models find the package that they import.
  const folder = await mkdtemp(join(root, 'reports', 'served-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = `import { defineConfig } from 'gatewright';\n\nexport default defineConfig({ serviceTables: '${serviceTables}' });\n`;
  await writeFile(join(folder, 'gatewright.config.ts'), config);
  const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    within(folder, () => run([...args], { env }));
  const { status, stderr } = await command(['adopt', '--url', url]);
  expect([status, stderr]).toEqual([0, '']);
  return { folder, application: await loadApplication(folder), command };
};

/** The service over a shape. */
export const serveShape = async (databases: Databases, url: string, serviceTables?: string) => {
  const { folder, application, command } = await adoptInto(url, serviceTables);
  const service = await startService(databases, { url, application, env: { NEW_DATABASE: '1' } });
  onTestFinished(() => service.close());
  const token = await service.admin();
  const asked = (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) =>
    service.request<AdoptedRow>(method, `/api/v1/${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
    });
  const listed = (path: string) => service.ok<AdoptedRow[]>('GET', `/api/v1/${path}`, { token });
  return { asked, listed, service, token, folder, command, models: [...application.models.values()] };
};
