import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** What a hole would be worst in is covered nearly whole. Percentages; below them the run fails. */
const strict = { lines: 95, branches: 95 };

const inCi = process.env['CI'] !== undefined;

export default defineConfig({
  resolve: { alias: { gatewright: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    testTimeout: 30_000,
    // A browser on a busy machine takes longer than the second that polling has by default.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: inCi ? ['default', ['json', { outputFile: 'reports/tests.json' }]] : ['default'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: [
        'src/**/*.test.ts',
        'src/cli/test-io.ts',
        'src/store/dialects/sqlite/worker.ts',
        'src/fields/pattern-child.ts',
      ],
      reporter: inCi ? ['text-summary', 'json-summary'] : ['text-summary', 'html'],
      thresholds: { 'src/auth/**': strict, 'src/policy/**': strict, 'src/vault/**': strict },
    },
  },
});
