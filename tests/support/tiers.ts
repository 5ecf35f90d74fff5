import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The tiers of the tests: this file alone says which test file belongs to which. `npm test` runs the quick tier,
 * `npm run test:full` what that leaves out, `npm run test:long` what takes too long for every change. A file that is
 * named nowhere here belongs to the full tier, so that a new one is never forgotten.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Tests whose code runs in their own process. */
const inProcess = ['src/**/*.test.ts', 'tests/{client,contract,support,types}/**/*.test.ts'];

/** Browser tests of the quick tier: signing in, permissions, lists, records of every type, keys, the documentation page. */
const flows = ['tests/browser/{admin,admin-records,docs-names}.test.ts'];

/** Checks of the checkout that cost seconds. */
const checks = ['tests/checks/**/*.test.ts', 'tests/guides/reference.test.ts'];

/** Tests in their own process that compile whole applications or play many random ones: the full tier has them. */
const slow = [
  'src/cli/commands/generate*.test.ts',
  'tests/client/{generated,openapi-fetch,openapi-relations,samples}.test.ts',
  'tests/contract/{accepted-admin-samples,accepted-samples,described-tools,trash-oracle}.test.ts',
  'tests/contract/relations/{nested-oracle,relations-interference,relations-oracle}.test.ts',
  'tests/contract/resources/{row-rules-interference,row-rules-oracle}.test.ts',
  'tests/types/errors.test.ts',
];

/**
 * Tests of what differs between the databases: SQL, types, transactions, locks, migrations. The quick tier runs them on
 * both. Every other `describeEachDatabase` of that tier runs on SQLite there, and on PostgreSQL in the full tier.
 */
const dialectSensitive = [
  'src/{accounts,database,delivery,ledger,records}/**/*.test.ts',
  'src/resources/operations/**/*.test.ts',
  'src/upkeep/{refusals,usage}/**/*.test.ts',
  'tests/contract/{csv,equal-answers,events,history,import,locks,search}.test.ts',
  'tests/contract/relations/{bounds,include,nested-races,plans}.test.ts',
  'tests/contract/resources/{aggregate,batch,cascades,concurrency,end-state,full-text-search,nulled-references,row-rules,unique}.test.ts',
];

/**
 * Tests that the full tier also runs with two workers on one SQLite file: what one worker writes, the other one has to
 * know. Left out are tests that look inside the process that they ask.
 */
const ofWorkers = [
  'tests/contract/{account-links,api-keys,changes,erasure,events,history,import,invitations,jobs,kept,key-rotation,key-scopes,leaked-keys,limits,locks,long-sign-ins,mail,makers,managed-webhooks,must-change-password,revoked-keys,scopes,service-accounts,session,tokens,trash,trash-oracle,webhook-pause,webhooks}.test.ts',
  'tests/contract/relations/{nested-oracle,nested-races,nested-writes,relations-oracle,withdrawn}.test.ts',
  'tests/contract/resources/{aggregate,batch,cascades,concurrency,end-state,full-text-search,permissions,references,reference-rules,row-rules,row-rules-oracle,row-rules-withdrawn,sequence,unique}.test.ts',
];

/** Tests of the quick tier that need a process of their own: they measure it, or change what its modules share. */
const isolated = [
  'src/cli/commands/options.test.ts',
  'src/http/body-memory.test.ts',
  'tests/contract/session-settings.test.ts',
];

/** Tests of which the full tier runs a sample and the long one everything: see `testsAll`. */
const sampled = [
  'tests/browser/admin-look.test.ts',
  'tests/contract/resources/table-*.test.ts',
  'tests/evals/evals.test.ts',
  'tests/faults/killed-migration.test.ts',
  'tests/guides/{guides,tutorial}.test.ts',
];

/** Tests of which the quick tier runs a sample and the long one everything. */
const quickSampled = ['src/access/verdict-oracle.test.ts', 'tests/contract/meta.test.ts'];

/** Tests of the long tier alone. */
const long = ['tests/siege/siege.test.ts'];

/** Tests that measure time or memory: nothing runs beside them. */
const timed = [
  'tests/{scale,speed}/**/*.test.ts',
  'tests/browser/{admin-list-cost,admin-speed}.test.ts',
  'tests/faults/{backup,import-beside,locked-table,strangers}.test.ts',
];

const filesOf = (...patterns: readonly string[]): ReadonlySet<string> =>
  new Set(globSync(patterns, { cwd: root }).map((file) => file.replaceAll('\\', '/')));

const describesEachDatabase = (file: string): boolean =>
  readFileSync(`${root}${file}`, 'utf8').includes('describeEachDatabase(');

const all = filesOf('src/**/*.test.ts', 'tests/**/*.test.ts');
const quick = filesOf(...inProcess, ...flows, ...checks).difference(
  filesOf(...slow, ...sampled, ...long, ...timed),
);
const apart = quick.intersection(filesOf(...isolated));
const onBoth = quick.intersection(filesOf(...dialectSensitive)).difference(apart);
const onSqlite = quick.difference(onBoth).difference(apart);
const full = all.difference(quick).difference(filesOf(...long, ...timed));
const onWorkers = filesOf(...ofWorkers);
const fullShared = full.intersection(filesOf(...inProcess, 'tests/browser/*.test.ts')).difference(apart);

/** The test files of each project of `vitest.config.ts`. */
export const filesOfProjects = {
  'quick-sqlite': [...onSqlite],
  'quick-both': [...onBoth],
  'quick-apart': [...apart],
  'full-postgres': [...onSqlite].filter(describesEachDatabase),
  'full-shared': [...fullShared],
  'full-workers': [...onWorkers],
  full: [...full.difference(fullShared)],
  'full-timed': [...filesOf(...timed)],
  long: [...filesOf(...sampled, ...quickSampled, ...long)],
};

/** Patterns by the name of their list, for the check that each still finds a file. */
export const patterns = {
  ...{ inProcess, flows, checks, slow, dialectSensitive, ofWorkers, isolated },
  ...{ sampled, quickSampled, long, timed },
};

/** True if this run plays everything of a test that otherwise plays a sample. */
export const testsAll = process.env['TEST_EXTENT'] === 'all';
