/** Beginning of the error by which a database refuses what would be written to a table of it while it is moved, and after. */
export const fenceMessage = 'the database is being moved to another one, or was';

/** Name of what refuses, in each database. */
export const fenceName = 'gatewright_moved';

/** A table that stands in a place while a backup is restored into it, until what was restored has been compared. */
export const restoringName = 'gatewright_restoring';
