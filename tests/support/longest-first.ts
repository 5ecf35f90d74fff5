import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take the longest, the longest first. One that comes last would be waited for alone. */
const longest = [
  'guides/guides',
  'browser/thirty-tasks',
  'evals/evals',
  'upgrade/upgrade',
  'guides/tutorial',
  'package/package',
  'faults/webhooks',
  'cli/commands/generate-code',
  'browser/admin-factor',
  'browser/admin-leaving',
  'browser/admin-failures',
  'browser/docs.test',
  'faults/changes',
  'browser/admin-look',
  'faults/import-killed',
  'browser/admin-people',
  'faults/move-killed',
  'faults/dev-migrations',
  'resources/table-postgres',
  'resources/table-sqlite',
  'faults/jobs',
  'faults/trash-killed',
  'faults/stopping',
  'faults/killed-migration',
  'faults/workers',
  'faults/mail-killed',
  'faults/shop-killed',
  'upgrade/field-recipe',
  'resources/row-rules-oracle',
  'resources/row-rules-interference',
  'relations/relations-interference',
  'relations/relations-oracle',
  'contract/session-settings',
  'browser/admin',
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
