import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';
import { filesOfProjects } from './tests/support/tiers.ts';

/** Code in which a hole would be worst is covered nearly whole. Percentages; below them the run fails. */
const strict = { lines: 95, branches: 95 };

const inCi = process.env['CI'] !== undefined;

/** What of its tier a project runs, and how: all files of a group share the workers, and groups come one after the other. */
const project = (
  name: keyof typeof filesOfProjects,
  options: {
    readonly groupOrder: number;
    readonly maxWorkers: number;
    readonly isolate?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  },
) => {
  const { groupOrder, ...others } = options;
  return {
    extends: true as const,
    test: { name, include: filesOfProjects[name], sequence: { groupOrder }, ...others },
  };
};

/** They wait for databases, browsers and child processes: a third one fills the pauses of two. */
const workers = 3;

/** Modules are loaded once for each worker, not for each file. */
const shared = { maxWorkers: workers, isolate: false };

export default defineConfig({
  resolve: { alias: { gatewright: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    // They end what hangs. A busy machine takes four times as long as a quiet one.
    testTimeout: 120_000,
    // A browser on a busy machine takes longer than the second that polling has by default.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    // The tiers are those of tests/support/tiers.ts.
    projects: [
      project('quick-both', { groupOrder: 0, ...shared }),
      project('quick-sqlite', { groupOrder: 1, ...shared, env: { TEST_DATABASE: 'sqlite' } }),
      project('quick-apart', { groupOrder: 1, maxWorkers: workers }),
      project('full-postgres', { groupOrder: 2, ...shared, env: { TEST_DATABASE: 'postgres' } }),
      project('full-workers', { groupOrder: 2, ...shared, env: { TEST_DATABASE: 'workers' } }),
      project('full-shared', { groupOrder: 3, ...shared }),
      project('full', { groupOrder: 3, maxWorkers: workers }),
      project('full-timed', { groupOrder: 4, maxWorkers: 1 }),
      project('long', { groupOrder: 5, maxWorkers: 2, env: { TEST_EXTENT: 'all' } }),
    ],
    reporters: inCi ? ['default', 'json'] : ['default'],
    outputFile: { json: 'reports/tests.json' },
    coverage: {
      provider: 'v8',
      include: ['src/{auth,policy,vault}/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: inCi ? ['text-summary', 'json-summary'] : ['text-summary', 'html'],
      thresholds: { 'src/auth/**': strict, 'src/policy/**': strict, 'src/vault/**': strict },
    },
  },
});
