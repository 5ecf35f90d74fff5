/** Code that is mutated, and the tests that should notice. Stryker runs the tests that reach the mutant. */
export interface Target {
  /** The name on the command line; the score is of it. */
  readonly folder: string;
  /** A part of the folder: `folder:part` chooses it alone. */
  readonly part?: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Milliseconds beyond what the tests take by themselves, after which a change has them hang; 10,000 unless given. */
  readonly testTimeoutMs?: number;
}

const authFiles = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `src/auth/${name}.ts`);

const passwords = authFiles('password', 'password-rules', 'phc', 'login', 'login-throttle');

/** Files in which callers wait for others: nearly every change makes one wait for ever. */
const queues = ['src/auth/work-queue.ts', 'src/kernel/fair-queue.ts'];

/** Hashing a password takes longer than all else: its tests are asked about its own code only. */
const slow = authFiles('login.test', 'password.test');

const filesOf = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `src/records/list/${name}.ts`);

/** Files that read a request without the database. */
const reading = filesOf('array-chunks', 'parameters', 'query-string');

/** Files whose input becomes SQL. */
const terms = filesOf('sort');

export const targets: readonly Target[] = [
  { folder: 'src/policy', mutate: ['src/policy/*.ts'], tests: ['src/policy/*.test.ts'] },
  {
    folder: 'src/auth',
    part: 'requests',
    mutate: ['src/auth/**/*.ts', ...[...passwords, ...queues].map((file) => `!${file}`)],
    tests: ['src/auth/**/!(login|password).test.ts'],
  },
  { folder: 'src/auth', part: 'passwords', mutate: passwords, tests: slow },
  {
    folder: 'src/resources/operations',
    mutate: ['src/resources/operations/*.ts'],
    tests: ['src/resources/operations/*.test.ts'],
  },
  { folder: 'src/records/rows', mutate: ['src/records/rows/*.ts'], tests: ['src/records/rows/*.test.ts'] },
  {
    folder: 'src/records/list',
    part: 'parameters',
    mutate: reading,
    tests: ['src/records/list/{array-chunks,cursor,filters,links,parameters}.test.ts'],
  },
  {
    folder: 'src/records/list',
    part: 'terms',
    mutate: terms,
    tests: ['src/records/list/{cursor,filters,parameters,list,statements}.test.ts'],
  },
  {
    folder: 'src/records/list',
    part: 'pages',
    mutate: ['src/records/list/*.ts', ...[...reading, ...terms].map((file) => `!${file}`)],
    tests: ['src/records/list/{cursor,links,list,paging,run,shape,statements,totals,size-estimate}.test.ts'],
  },
  {
    folder: 'src/auth',
    part: 'queues',
    mutate: queues,
    tests: ['src/auth/work-queue.test.ts', 'src/kernel/fair-queue.test.ts'],
    testTimeoutMs: 3_000,
  },
];
