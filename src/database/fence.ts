/** Beginning of the error by which a database refuses writes while it is being moved, and after. */
export const fenceMessage = 'the database is being moved to another one, or was';

/**
 * Name of a table that marks a database whose restore has not been verified yet. It is the same for every service: a
 * backup is restored into an empty place.
 */
export const restoringName = 'gatewright_restoring';
