// Imports go one way: a folder may import those of its own line and of the lines above it. Type imports count.
const layers = [
  ['kernel'],
  ['fields'],
  ['auth'],
  ['model'],
  ['policy'],
  ['database'],
  ['records'],
  ['service'],
  ['backup'],
  ['operations'],
  ['events'],
  ['webhooks'],
  ['mail'],
  ['http', 'openapi'],
  ['endpoints'],
  ['jobs'],
  ['metrics'],
];

const tests = '\\.test\\.ts$|/test-[a-z-]+\\.ts$';

const inside = (folders) => `^src/(${folders.join('|')})/`;

/** Everything of src that a layer must not know: the layers after it, the files that join them, the command line. */
const upward = layers.map((folders, index) => {
  const later = layers.slice(index + 1).flat();
  const above = [...later, 'app', 'cli', 'testing'].map((folder) => `${folder}/`);
  return {
    name: `upward-from-${folders.join('-and-')}`,
    comment: `${folders.join(' and ')} know nothing of the layers built on them.`,
    severity: 'error',
    from: { path: inside(folders), pathNot: tests },
    to: { path: `^src/(${above.join('|')}|[^/]+\\.ts$)` },
  };
});

module.exports = {
  forbidden: [
    ...upward,
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
      from: { path: '^src/http/', pathNot: tests },
      to: { path: '^src/openapi/' },
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
      from: { path: inside(layers.flat().filter((folder) => folder !== 'endpoints')), pathNot: tests },
      to: { path: '^src/vault/' },
    },
    {
      name: 'command-line-on-top',
      comment: 'The files that join the service do not know the command line.',
      severity: 'error',
      from: { path: '^src/app/', pathNot: tests },
      to: { path: '^src/cli/' },
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
      comment:
        'Whoever could make a grant could skip the permission check. Its type comes from policy/grant.ts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/policy/(decide|system-grant)(\\.test)?\\.ts$' },
      to: { path: '^src/policy/mint\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'system-grant-outside-requests',
      comment:
        'A grant without a caller is for the command line, for tests, and for what the system does in operations.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(cli|testing)/|^src/operations/grant-of-system\\.ts$|${tests}` },
      to: { path: '^src/policy/system-grant\\.ts$' },
    },
    {
      name: 'grant-of-system-leaves-traces',
      comment:
        'The system acts in the asSystem of a scope, which also reads related records and writes those within others, in cascades, and in what comes back from the trash with a record; all leave a trace of what they write.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: `^src/operations/(scope-records|cascade|restore|area|nested)\\.ts$|${tests}`,
      },
      to: { path: '^src/operations/grant-of-system\\.ts$' },
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
        'What is shipped imports packages that package.json names under dependencies, or under peerDependencies where it does without them.',
      severity: 'error',
      from: { path: '^(src|bin)/', pathNot: tests },
      to: {
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
