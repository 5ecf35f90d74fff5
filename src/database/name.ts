/** Names of the databases that the service runs on. Nothing outside this folder decides by one. */
export type DialectName = 'sqlite' | 'postgres';

/** The database of who names none. */
export const defaultDialect: DialectName = 'sqlite';
