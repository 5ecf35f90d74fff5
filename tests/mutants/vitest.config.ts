import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The tests that a run of `npm run mutants` has chosen, in one process that stays warm. */
export default defineConfig({
  resolve: { alias: { gatewright: `${root}src/index.ts` } },
  test: {
    root,
    include: (process.env['MUTANT_TESTS'] ?? '').split(';'),
    globalSetup: ['tests/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
