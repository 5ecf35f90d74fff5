const { readdirSync } = require('node:fs');
const bundledPackages = require('./scripts/bundled-packages.json');

// Imports go one way: a room, which is a folder of src, may import the rooms before it in this list. Type imports count.
const rooms = [
  'kernel',
  'vault',
  'fields',
  'auth',
  'model',
  'policy',
  'database',
  'records',
  'ledger',
  'http',
  'resources',
  'delivery',
  'accounts',
  'upkeep',
  'console',
  'app',
  'access',
  'testing',
  'cli',
];

// A room that has no place in the list would be checked by nothing.
const unlisted = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !rooms.includes(entry.name))
  .map(({ name }) => name);
if (unlisted.length > 0)
  throw new Error(`.dependency-cruiser.cjs gives no place to src/${unlisted.join(', src/')}`);

const tests = '\\.test\\.ts$|/test-[a-z-]+\\.ts$';

/** Everything of src that a room must not know: the rooms after it, and the public interface. */
const upward = rooms.slice(0, -1).map((room, index) => ({
  name: `upward-from-${room}`,
  comment: `${room} knows nothing of the rooms built on it.`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: tests },
  to: { path: `^src/(${rooms.slice(index + 1).join('|')})/|^src/[^/]+\\.ts$` },
}));

module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'doors-between-rooms',
      comment: 'A room is entered by the files at its top; its folders are its own.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: tests },
      to: { path: '^src/[^/]+/.+/', pathNot: '^src/$1/' },
    },
    {
      name: 'doors-from-outside',
      comment: 'Programs beside src enter its rooms by the files at their top, as rooms enter each other.',
      severity: 'error',
      from: { path: '^(src/[^/]+\\.ts$|admin/|bench/|bin/|client/|examples/|scripts/)', pathNot: tests },
      to: { path: '^src/[^/]+/.+/' },
    },
    {
      name: 'stores-below-http',
      comment: 'Within a folder of accounts, its store knows nothing of requests.',
      severity: 'error',
      from: { path: '^src/accounts/.+/store\\.ts$' },
      to: { path: '^src/http/' },
    },
    {
      name: 'no-circle',
      comment: 'A circle of imports has no order in which it can be read.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'http-and-openapi-apart',
      comment: 'Endpoints are data: serving them and describing them do not know each other.',
      severity: 'error',
      from: { path: '^src/http/', pathNot: `^src/http/(openapi/|describe\\.ts$)|${tests}` },
      to: { path: '^src/http/(openapi/|describe\\.ts$)' },
    },
    {
      name: 'vault-stands-alone',
      comment: 'The vault reads and writes one file; it imports the kernel only.',
      severity: 'error',
      from: { path: '^src/vault/', pathNot: tests },
      to: { path: '^src/', pathNot: '^src/(vault|kernel)/' },
    },
    {
      name: 'vault-by-ports-only',
      comment: 'Secrets reach the inner layers through the ports of auth, joined at the composition root.',
      severity: 'error',
      from: { path: `^src/(${rooms.slice(2, rooms.indexOf('accounts')).join('|')})/`, pathNot: tests },
      to: { path: '^src/vault/' },
    },
    {
      name: 'nothing-imports-the-public-api',
      comment: 'src/index.ts is for applications.',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'grants-are-minted-by-two',
      comment: 'Code that makes a grant skips the permission check. Its type comes from policy/grant.ts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/policy/(decide|system-grant)(\\.test)?\\.ts$' },
      to: { path: '^src/policy/mint\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'system-grant-outside-requests',
      comment:
        'A grant without a caller is for the command line, for tests, and for what the system does in operations.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: `^src/(cli|testing)/|^src/resources/operations/grant-of-system\\.ts$|${tests}`,
      },
      to: { path: '^src/policy/system-grant\\.ts$' },
    },
    {
      name: 'grant-of-system-leaves-traces',
      comment:
        'The system acts in the asSystem of a scope, which also reads related records and writes those within others, in cascades, and in what comes back from the trash with a record; all leave a trace of what they write.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: `^src/resources/operations/(scope-records|cascade|restore-record|area|nested)\\.ts$|${tests}`,
      },
      to: { path: '^src/resources/operations/grant-of-system\\.ts$' },
    },
    {
      name: 'client-knows-types-of-models-only',
      comment: 'The client runs anywhere; src/model/types.ts holds no code.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '^(src|tests)/', pathNot: '^src/model/types\\.ts$' },
    },
    {
      name: 'client-stands-outside',
      comment: 'The service does not use its own client.',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: '^client/' },
    },
    {
      name: 'no-test-code-in-the-service',
      comment: 'What is shipped imports nothing of the tests.',
      severity: 'error',
      from: { path: '^(src|bin)/', pathNot: tests },
      to: { path: `^tests/|${tests}` },
    },
    {
      name: 'declared-dependencies-only',
      comment:
        'What is shipped imports packages that the build bundles, or that package.json names under dependencies, or under peerDependencies where it does without them.',
      severity: 'error',
      from: { path: '^(src|bin)/', pathNot: tests },
      to: {
        pathNot: `^node_modules/(?:${bundledPackages.join('|')})/`,
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
    {
      name: 'http-of-node-by-one',
      comment:
        'Importing node:http loads a WebSocket client that nobody uses; src/kernel/node-http.ts does not.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/kernel/node-http\\.ts$|${tests}` },
      to: { path: '^(node:)?http$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: '^(node_modules|dist)/' },
    exclude: { path: '(^|/)(data|coverage)/|^bench/peers/applications/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
