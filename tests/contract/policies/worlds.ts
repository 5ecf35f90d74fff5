/**
 * Worlds for policies of other programs: tables with random rows, users and memberships, the models that `gatewright
 * adopt --policies` writes for them, and the service over these. A world is made from a seed.
 */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { loadApplication } from '../../../src/app/application.ts';
import { run } from '../../../src/cli/test-io.ts';
import type { Databases } from '../../support/databases.ts';
import { type Service, startService, type TestUser } from '../../support/service.ts';
import { Random } from '../resources/row-rules/random.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export type Row = Readonly<Record<string, unknown>>;

/** Statements on the tables as another program runs them. */
export interface Program {
  readonly execute: (sql: string) => Promise<void>;
  readonly rows: (sql: string) => Promise<readonly Row[]>;
}

const programOf = async (url: string): Promise<Program> => {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    onTestFinished(() => database.close());
    return {
      execute: async (sql) => database.exec(sql),
      rows: async (sql) => database.prepare(sql).all() as Row[],
    };
  }
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return {
    execute: async (sql) => {
      await client.query(sql);
    },
    rows: async (sql) => (await client.query<Row>(sql)).rows,
  };
};

export interface PolicyJson {
  readonly rules: readonly {
    readonly model: string;
    readonly table: string;
    readonly action: string;
    readonly roles: readonly string[];
    readonly rule: string;
  }[];
  readonly roles: readonly {
    readonly name: string;
    readonly exists: boolean;
    readonly grants: readonly { readonly model: string; readonly actions: readonly string[] }[];
  }[];
  readonly left: readonly { readonly place: string; readonly reason: string }[];
}

export interface Stage {
  readonly program: Program;
  readonly folder: string;
  readonly report: PolicyJson;
  /** The service over the files as they are now, with roles and grants as the report says. */
  readonly serve: () => Promise<{ readonly service: Service; readonly users: readonly TestUser[] }>;
}

interface StageOptions {
  /** SQL that makes the tables, in a database that has those of the service. */
  readonly tables: string;
  /** Files of the application, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly options: readonly string[];
  /** Role of each user; grants that no policy says are those of `further`. */
  readonly roles: readonly string[];
  readonly further?: Readonly<Record<string, readonly string[]>>;
}

/** Makes the tables, and adopts them. */
export const stagePolicies = async (
  databases: Databases,
  { tables, files = {}, options, roles, further = {} }: StageOptions,
): Promise<Stage> => {
  const url = await databases.createForStart();
  const program = await programOf(url);
  await program.execute(tables);
  await mkdir(join(root, 'reports'), { recursive: true });
  const folder = await mkdtemp(join(root, 'reports', 'policies-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'resources'));
  await writeFile(
    join(folder, 'gatewright.config.ts'),
    "import { defineConfig } from 'gatewright';\n\nexport default defineConfig({});\n",
  );
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const home = process.cwd();
  process.chdir(folder);
  let report: PolicyJson;
  try {
    const { status, stdout, stderr } = await run(['adopt', '--url', url, '--json', ...options]);
    expect([status, stderr]).toEqual([0, '']);
    ({ policies: report } = JSON.parse(stdout) as { policies: PolicyJson });
  } finally {
    process.chdir(home);
  }
  const serve: Stage['serve'] = async () => {
    const application = await loadApplication(folder);
    const service = await startService(databases, {
      url,
      application,
      env: { LOG_LEVEL: 'warn', API_DOCS: 'off' },
    });
    onTestFinished(() => service.close());
    const token = await service.admin();
    const grants = report.roles.flatMap(({ name, grants }) =>
      grants.flatMap(({ model, actions }) => actions.map((action) => [name, model, action] as const)),
    );
    for (const name of new Set(roles)) {
      await service.request('POST', '/admin/roles', { token, body: { role: { name } } });
      for (const [model, actions] of Object.entries(further))
        for (const action of actions) grants.push([name, model, action]);
    }
    for (const [name, model, action] of grants)
      await service.ok('PUT', `/admin/permissions/${name}/${model}/${action}`, { token });
    const users: TestUser[] = [];
    for (const role of roles) users.push(await service.createUser([role]));
    return { service, users };
  };
  return { program, folder, report, serve };
};

export const states = ['draft', 'live', 'gone'] as const;

/** A literal of SQL. */
export const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
};

export const insertSql = (table: string, row: Row): string =>
  `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(literal).join(', ')})`;

export { Random };
