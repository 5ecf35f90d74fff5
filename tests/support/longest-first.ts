import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take the longest, the longest first. One that comes last would be waited for alone. */
const longest = [
  'upgrade/upgrade',
  'browser/docs.test',
  'guides/guides',
  'package/package',
  'browser/admin-lists',
  'browser/admin-look',
  'browser/admin-people',
  'browser/admin-watch',
  'resources/table-postgres',
  'resources/table-sqlite',
  'faults/stopping',
  'faults/killed-migration',
  'faults/workers',
  'faults/webhooks',
  'browser/admin',
  'cli/commands/generate-code',
  'contract/meta',
  'contract/changes',
  'contract/login',
  'jobs/worker',
  'browser/',
  'backup/backup',
  'list/run',
  'migrations/alter-table',
  'transfer/export',
  'contract/hostile-input',
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
