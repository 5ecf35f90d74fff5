// Runs the full tier of the tests. Where three files or fewer failed, these run once more, alone: a test that fails again
// has failed. One that passes then failed only beside others on a busy machine: it is named at the end, so that it is
// looked into. A run that ended badly without a failed test (an unhandled error, a crash) is not repeated.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

const mostFiles = 3;

/**
 * The tests start thousands of processes: each compiles what the first one has compiled only where this is unset. Not in
 * the quick tier, whose coverage is less exact with code from a cache.
 */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled');

const projects = ['--project', 'full*'];

/** @param {string} report @param {string[]} more @returns {number} the exit status of vitest */
const run = (report, ...more) => {
  rmSync(report, { force: true });
  const reporters = ['default', 'json'].flatMap((name) => ['--reporter', name]);
  const options = [...projects, ...reporters, `--outputFile.json=${report}`, ...more];
  return spawnSync('vitest', ['run', ...options], { stdio: 'inherit' }).status ?? 1;
};

/** @param {string} report @returns {{ file: string, tests: string[] }[]} */
const failuresOf = (report) =>
  JSON.parse(readFileSync(report, 'utf8'))
    .testResults.filter((/** @type {{ status: string }} */ { status }) => status === 'failed')
    .map((/** @type {any} */ { name, assertionResults }) => ({
      file: name,
      tests: assertionResults
        .filter((/** @type {any} */ { status }) => status === 'failed')
        .map((/** @type {any} */ { fullName }) => fullName),
    }));

const report = 'reports/full.json';
const repeated = 'reports/full-repeated.json';
rmSync(repeated, { force: true });
let status = run(report, ...process.argv.slice(2));
const failed = status === 0 ? [] : failuresOf(report);
if (failed.length > 0 && failed.length <= mostFiles) {
  process.stdout.write(`\nOnce more, alone: ${failed.map(({ file }) => file).join(', ')}\n`);
  status = run(repeated, '--no-file-parallelism', ...failed.map(({ file }) => file));
  if (status === 0) {
    process.stdout.write('\nUnreliable: failed beside others, passed alone. Look into these:\n');
    for (const { file, tests } of failed)
      process.stdout.write(`  ${file}\n${tests.map((name) => `    ${name}\n`).join('')}`);
  }
}
process.exitCode = status;
