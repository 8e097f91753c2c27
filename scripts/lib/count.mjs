// What a vitest run came to, read from its JSON report.
import fs from 'node:fs';

/**
 * `{ passed, failed, remarks }`. Nothing passes by being left out: a file that could not be loaded, an error
 * outside any test, a missing report, and (where `strict`) every skipped test count as failed.
 */
export function countReport(file, exitCode, { strict, mayBeEmpty }) {
  const report = readReport(file);
  if (!report) return { passed: 0, failed: 1, remarks: ['vitest ended without a report'] };
  const remarks = [];
  let [passed, failed, skipped] = [0, 0, 0];
  for (const { name, status, assertionResults } of report.testResults) {
    const by = (wanted) => assertionResults.filter((test) => test.status === wanted).length;
    passed += by('passed');
    failed += by('failed');
    skipped += assertionResults.length - by('passed') - by('failed');
    if (status === 'failed' && by('failed') === 0) {
      failed += 1;
      remarks.push(`${name} failed outside of its tests`);
    }
  }
  if (skipped > 0) remarks.push(`${skipped} skipped${strict ? ', which counts as failed here' : ''}`);
  if (strict) failed += skipped;
  if (passed + failed + skipped === 0 && !mayBeEmpty) {
    failed += 1;
    remarks.push('no tests were found');
  }
  if (exitCode !== 0 && failed === 0) {
    failed += 1;
    remarks.push(`vitest ended with exit code ${exitCode} though no test failed`);
  }
  return { passed, failed, remarks };
}

function readReport(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
