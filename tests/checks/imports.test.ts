import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const configFile = join(root, '.dependency-cruiser.cjs');
const { forbidden }: { forbidden: readonly { readonly name: string }[] } = createRequire(import.meta.url)(
  configFile,
);

/** A small tree of the service's own shape that breaks no rule. */
const sound: Readonly<Record<string, string>> = {
  'src/kernel/clock.ts': 'export type Clock = () => number;',
  'src/vault/vault.ts': `import type { Clock } from '../kernel/clock.ts'; export type Vault = Clock;`,
  'src/fields/field.ts': `import type { Clock } from '../kernel/clock.ts'; export type Field = Clock;`,
  'src/auth/method.ts': `import type { Field } from '../fields/field.ts'; export type Principal = Field;`,
  'src/model/resource.ts': `import type { Principal } from '../auth/method.ts'; export type Resource = Principal;`,
  'src/policy/mint.ts': `import type { Principal } from '../auth/method.ts'; export class MintedGrant { by?: Principal; }`,
  'src/policy/grant.ts': `export type { MintedGrant as Grant } from './mint.ts';`,
  'src/policy/decide.ts': `import { MintedGrant } from './mint.ts'; export const decide = () => new MintedGrant();`,
  'src/policy/system-grant.ts': `import { MintedGrant } from './mint.ts'; export const systemGrant = new MintedGrant();`,
  'src/database/database.ts': `import type { Grant } from '../policy/grant.ts'; export const read = (grant: Grant) => grant;`,
  'src/database/database.test.ts': `import { systemGrant } from '../policy/system-grant.ts'; export const grant = systemGrant;`,
  'src/records/list.ts': `export { read as list } from './list/list.ts';`,
  'src/records/list/list.ts': `export { read } from '../../database/database.ts';`,
  'src/records/list/list.test.ts': `export { read } from '../../database/database.ts';`,
  'src/ledger/outbox.ts': `export { list as store } from '../records/list.ts';`,
  'src/files/files.ts': `export { store as stored } from '../ledger/outbox.ts';`,
  'src/http/endpoint.ts': `import { list } from '../records/list.ts'; export const serve = list;`,
  'src/http/describe.ts': `export { describe } from './openapi/document.ts';`,
  'src/http/openapi/document.ts': `import { serve } from '../endpoint.ts'; export const describe = serve;`,
  'src/resources/operations.ts': `export { grantOfSystem } from './operations/cascade.ts';`,
  'src/resources/operations/cascade.ts': `export { grantOfSystem } from './grant-of-system.ts';`,
  'src/resources/operations/grant-of-system.ts': `export { systemGrant as grantOfSystem } from '../../policy/system-grant.ts';`,
  'src/delivery/jobs.ts': `import { serve } from '../http/endpoint.ts'; export const define = serve;`,
  'src/accounts/applications.ts': `import type { Vault } from '../vault/vault.ts'; export const applications = (_: Vault) => 1;`,
  'src/upkeep/health.ts': `export { serve as health } from '../http/endpoint.ts';`,
  'src/console/docs.ts': `export { describe as docs } from '../http/describe.ts';`,
  'src/app/server.ts': `import { define } from '../delivery/jobs.ts'; export const server = define;`,
  'src/testing/testing.ts': `export { server as testApplication } from '../app/server.ts';`,
  'src/index.ts': `export { server } from './app/server.ts';`,
  'src/cli/main.ts': `import { server } from '../app/server.ts'; import { systemGrant } from '../policy/system-grant.ts'; export const main = [server, systemGrant];`,
  'src/model/types.ts': `import type { Resource } from './resource.ts'; export type RecordOf = Resource;`,
  'client/client.ts': `import type { RecordOf } from '#model'; export const client = (_: RecordOf) => 1;`,
  'scripts/list.ts': `export { list } from '../src/records/list.ts';`,
  'tests/support/things.ts': 'export const thing = 1;',
};

/** Files of the sound tree, one of each room, in the order in which rooms may import each other. */
const inEachRoom = [
  'kernel/clock.ts',
  'vault/vault.ts',
  'fields/field.ts',
  'auth/method.ts',
  'model/resource.ts',
  'policy/grant.ts',
  'database/database.ts',
  'records/list.ts',
  'ledger/outbox.ts',
  'files/files.ts',
  'http/endpoint.ts',
  'resources/operations.ts',
  'delivery/jobs.ts',
  'accounts/applications.ts',
  'upkeep/health.ts',
  'console/docs.ts',
  'app/server.ts',
  'testing/testing.ts',
  'cli/main.ts',
];

/** For each room but the last a file that imports from the next one. */
const upward = inEachRoom.slice(0, -1).map((file, index) => {
  const room = dirname(file);
  return [
    `upward-from-${room}`,
    [`src/${room}/bad.ts`, `export const bad = () => import('../${inEachRoom[index + 1]}');`],
  ] as const;
});

/** For every rule a file that breaks it, and by which file it is caught. */
const violations: Readonly<Record<string, readonly [file: string, text: string]>> = {
  ...Object.fromEntries(upward),
  'doors-between-rooms': ['src/http/past-door.ts', `export type { read } from '../records/list/list.ts';`],
  'doors-from-outside': ['scripts/past-door.ts', `export { read } from '../src/records/list/list.ts';`],
  'stores-below-http': ['src/accounts/users/store.ts', `export { serve } from '../../http/endpoint.ts';`],
  'no-circle': [
    'src/fields/circle.ts',
    `import type { Other } from './other.ts'; export type Circle = Other;`,
  ],
  'http-and-openapi-apart': ['src/http/bad-description.ts', `export { describe } from './describe.ts';`],
  'vault-stands-alone': ['src/vault/bad.ts', `export type { Field } from '../fields/field.ts';`],
  'vault-by-ports-only': [
    'src/auth/secrets.ts',
    `import type { Vault } from '../vault/vault.ts'; export type Secrets = Vault;`,
  ],
  'nothing-imports-the-public-api': ['src/cli/bad.ts', `export { server } from '../index.ts';`],
  'grants-are-minted-by-two': [
    'src/cli/mints.ts',
    `import { MintedGrant } from '../policy/mint.ts'; export const bad = new MintedGrant();`,
  ],
  'system-grant-outside-requests': [
    'src/console/system.ts',
    `export { systemGrant } from '../policy/system-grant.ts';`,
  ],
  'grant-of-system-leaves-traces': [
    'src/resources/operations/as-system.ts',
    `export { grantOfSystem } from './grant-of-system.ts';`,
  ],
  'client-knows-types-of-models-only': ['client/bad.ts', `export { server } from '../src/app/server.ts';`],
  'client-stands-outside': ['src/cli/client.ts', `export { client } from '../../client/client.ts';`],
  'no-test-code-in-the-service': [
    'src/cli/tested.ts',
    `export { thing } from '../../tests/support/things.ts';`,
  ],
  'declared-dependencies-only': ['src/cli/packages.ts', `export { describe } from 'vitest';`],
  'http-of-node-by-one': ['src/http/node.ts', `export { createServer } from 'node:http';`],
  resolvable: ['tests/lost.ts', `export { nothing } from './nowhere.ts';`],
};

describe('the import check', () => {
  let directory: string;

  const write = async (file: string, text: string): Promise<void> => {
    const path = join(directory, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };

  /** Runs the check as the test command does; returns the violations as `rule file`, and the exit status. */
  const cruise = (): Promise<{ readonly status: number; readonly found: readonly string[] }> =>
    new Promise((resolve) => {
      const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
      const args = [program, '--config', configFile, 'src', 'client', 'scripts', 'tests'];
      const options = { cwd: directory, env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' } };
      execFile(process.execPath, args, options, (error, stdout) => {
        const lines = stdout.matchAll(/^\s*error ([^:\s]+): (\S+)/gm);
        resolve({
          status: Number(error?.code ?? 0),
          found: [...lines].map(([, rule, file]) => `${rule} ${file}`),
        });
      });
    });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatewright-imports-'));
    await cp(join(root, 'tsconfig.json'), join(directory, 'tsconfig.json'));
    await write('package.json', '{"type":"module","devDependencies":{"vitest":"*"}}');
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
    for (const [file, text] of Object.entries(sound)) await write(file, text);
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('lets a tree pass whose imports go one way', async () => {
    expect(await cruise()).toEqual({ status: 0, found: [] });
  });

  it('every rule of the import check has a planted violation', () => {
    expect(Object.keys(violations).sort()).toEqual(forbidden.map(({ name }) => name).sort());
  });

  it('catches every planted violation, types and dynamic imports too', async () => {
    await write(
      'src/fields/other.ts',
      `import type { Circle } from './circle.ts'; export type Other = Circle;`,
    );
    for (const [file, text] of Object.values(violations)) await write(file, text);
    const { status, found } = await cruise();
    expect(found).toEqual(
      expect.arrayContaining(Object.entries(violations).map(([name, [file]]) => `${name} ${file}`)),
    );
    expect(status).not.toBe(0);
  });
});

describe('the layout in CONTRIBUTING.md', () => {
  it('names every folder of src, in the order in which they may import each other', async () => {
    const page = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
    const named = [...page.matchAll(/^\| `src\/([a-z]+)` +\|/gm)].map(([, folder = '']) => folder);
    const entries = await readdir(join(root, 'src'), { withFileTypes: true });
    const folders = entries.filter((each) => each.isDirectory()).map(({ name }) => name);
    expect(named.toSorted()).toEqual(folders.sort());
    const layers = forbidden.flatMap(({ name }) => /^upward-from-(.*)$/.exec(name)?.[1] ?? []);
    expect(layers.length).toBeGreaterThan(10);
    expect(named.slice(0, -1)).toEqual(layers);
  });
});
