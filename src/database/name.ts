/** Names of the databases on which the service runs. Code outside this folder never branches on one. */
export type DialectName = 'sqlite' | 'postgres';
