import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take the longest, the longest first. One that comes last would be waited for alone. */
const longest = [
  'browser/admin-look',
  'browser/admin.test',
  'guides/guides',
  'siege/siege',
  'faults/stopping',
  'browser/admin-people',
  'browser/admin-watch',
  'package/package',
  'resources/table-postgres',
  'resources/table-sqlite',
  'faults/killed-migration',
  'upgrade/upgrade',
  'faults/workers',
  'faults/webhooks',
  'browser/',
  'contract/login',
  'contract/hostile-input',
  'contract/meta',
];

const place = ({ moduleId }: TestSpecification): number => {
  const found = longest.findIndex((name) => moduleId.includes(name));
  return found < 0 ? longest.length : found;
};

/** A checkout without a run before it knows no times: the long files are named here. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}
