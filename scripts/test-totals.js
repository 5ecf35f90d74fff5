// Prints how the tests of vitest's JSON reports ended together, as one line. Ends with status 1 where one failed or none
// ran.
import { readFileSync } from 'node:fs';

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const file of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  // A file that could not be loaded has no test that failed, but failed all the same.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
  ).length;
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests + broken;
  totals.skipped += report.numPendingTests + report.numTodoTests;
}

const { passed, failed, skipped } = totals;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
