import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';

/** What a hole would be worst in is covered nearly whole. Percentages; below them the run fails. */
const strict = { lines: 95, branches: 95 };

const inCi = process.env['CI'] !== undefined;

/** Tests whose code runs in their own process: coverage is counted of them, and of no others, for it costs a third. */
const inProcess = [
  'tests/{client,support,types}/**/*.test.ts',
  'tests/contract/*.test.ts',
  // The tables of all rules reach no line that the others do not.
  'tests/contract/resources/!(table-*).test.ts',
];

/** What measures time or memory: with no more than one other file beside it. */
const timed = [
  'tests/{speed,scale}/**/*.test.ts',
  'tests/browser/admin-speed.test.ts',
  'tests/faults/{backup,import-beside,locked-table,strangers}.test.ts',
];

export default defineConfig({
  resolve: { alias: { gatewright: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    testTimeout: 30_000,
    // A browser on a busy machine takes longer than the second that polling has by default.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['src/**/*.test.ts', ...inProcess],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['tests/**/*.test.ts'],
          exclude: [...inProcess, ...timed],
          // They wait for browsers and child processes: a third one fills the pauses of two.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'timed', include: timed, maxWorkers: 2, sequence: { groupOrder: 2 } },
      },
    ],
    reporters: inCi ? ['default', 'json'] : ['default'],
    outputFile: { json: 'reports/code.json' },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: [
        'src/**/*.test.ts',
        'src/cli/test-io.ts',
        'src/database/sqlite/worker.ts',
        'src/fields/pattern-child.ts',
      ],
      reporter: inCi ? ['text-summary', 'json-summary'] : ['text-summary', 'html'],
      thresholds: { 'src/auth/**': strict, 'src/policy/**': strict, 'src/vault/**': strict },
    },
  },
});
