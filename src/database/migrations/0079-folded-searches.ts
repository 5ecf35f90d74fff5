import { askThrough } from './ask-through.ts';
import { createSearch, dropSearch } from './fill-search.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { readTables } from './read-tables.ts';

/**
 * Full-text searches that fold letters as Unicode does (`Weiß` is `weiss`). The words of earlier releases differ, so
 * each search is made again: triggers keep it up to date from the commit on, and the words of the records that are
 * there follow in batches, the newest first, beside the writes of running instances.
 */
export const foldedSearches: Migration = ownStep(async (db, dialect) => {
  for (const [of, { search }] of await readTables(askThrough(db), dialect)) {
    if (search === undefined) continue;
    await dropSearch(db, dialect, of);
    await createSearch(db, dialect, { of, columns: search });
  }
});
