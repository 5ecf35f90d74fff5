/** Code that is mutated, and the tests that are to notice. Stryker runs of these those that reach the mutant. */
export interface Target {
  /** What the command line chooses it by, and the score is of. */
  readonly folder: string;
  /** A part of the folder: `folder:part` chooses it alone. */
  readonly part?: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const passwords = [
  'password',
  'password-rules',
  'phc',
  'work-queue',
  'login',
  'login-throttle',
  'waiting-lines',
].map((name) => `src/auth/${name}.ts`);

/** Hashing a password takes longer than all else: its tests are asked about its own code only. */
const slow = ['src/auth/login.test.ts', 'src/auth/password.test.ts'];

export const targets: readonly Target[] = [
  { folder: 'src/policy', mutate: ['src/policy/*.ts'], tests: ['src/policy/*.test.ts'] },
  {
    folder: 'src/auth',
    part: 'requests',
    mutate: ['src/auth/**/*.ts', ...passwords.map((file) => `!${file}`)],
    tests: ['src/auth/**/!(login|password).test.ts'],
  },
  { folder: 'src/auth', part: 'passwords', mutate: passwords, tests: slow },
  { folder: 'src/operations', mutate: ['src/operations/*.ts'], tests: ['src/operations/*.test.ts'] },
  { folder: 'src/store/rows', mutate: ['src/store/rows/*.ts'], tests: ['src/store/rows/*.test.ts'] },
  { folder: 'src/store/list', mutate: ['src/store/list/*.ts'], tests: ['src/store/list/*.test.ts'] },
];
