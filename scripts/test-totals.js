// Prints the failed tests in vitest's JSON reports with the first lines of their reasons, then the total as one line.
// NAME-repeated.json has the repeated files of NAME.json: for these the second result counts. Ends with status 1 where a
// test failed or none ran.
import { readFileSync } from 'node:fs';

const files = new Map();
for (const report of process.argv.slice(2))
  for (const result of JSON.parse(readFileSync(report, 'utf8')).testResults)
    files.set(`${report.replace('-repeated.json', '.json')} ${result.name}`, result);

const totals = { passed: 0, failed: 0, skipped: 0 };
/** Lines of a reason that are printed: enough for a difference of a few values. */
const reasonLines = 12;

/** Prints a failed test, or a file that could not be loaded, with the first lines of the reason. */
const printFailure = (/** @type {string} */ name, /** @type {string} */ reason) => {
  const lines = reason.split('\n').slice(0, reasonLines);
  process.stdout.write(`failed: ${name}\n${lines.map((line) => `    ${line}\n`).join('')}`);
};

for (const { name, status, message, assertionResults } of files.values()) {
  const count = (/** @type {string[]} */ ...states) =>
    assertionResults.filter((result) => states.includes(result.status)).length;
  const failed = count('failed');
  for (const result of assertionResults)
    if (result.status === 'failed')
      printFailure(`${name}: ${result.fullName}`, result.failureMessages.join('\n'));
  // A file that could not be loaded has no failed test, but counts as failed.
  const unloaded = status === 'failed' && failed === 0;
  if (unloaded) printFailure(name, message);
  totals.failed += unloaded ? 1 : failed;
  totals.passed += count('passed');
  totals.skipped += count('skipped', 'pending', 'todo');
}

const { passed, failed, skipped } = totals;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
