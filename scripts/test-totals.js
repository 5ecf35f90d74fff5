// Prints the total of the tests in vitest's JSON reports, as one line. NAME-repeated.json has the repeated files of
// NAME.json: for these the second result counts. Ends with status 1 where a test failed or none ran.
import { readFileSync } from 'node:fs';

const files = new Map();
for (const report of process.argv.slice(2))
  for (const result of JSON.parse(readFileSync(report, 'utf8')).testResults)
    files.set(`${report.replace('-repeated.json', '.json')} ${result.name}`, result);

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const { status, assertionResults } of files.values()) {
  const count = (/** @type {string[]} */ ...states) =>
    assertionResults.filter((result) => states.includes(result.status)).length;
  const failed = count('failed');
  // A file that could not be loaded has no failed test, but counts as failed.
  totals.failed += status === 'failed' && failed === 0 ? 1 : failed;
  totals.passed += count('passed');
  totals.skipped += count('skipped', 'pending', 'todo');
}

const { passed, failed, skipped } = totals;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
