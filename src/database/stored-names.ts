/** A table as it was found: its schema where the database has schemas, and whether statements find it without one. */
export interface FoundTable {
  readonly schema: string | undefined;
  readonly name: string;
  readonly isCurrentSchema: boolean;
}

/** Names of the service's own tables in one database. */
export interface ServiceNames {
  /** The option `serviceTables`; undefined without it. */
  readonly prefix: string | undefined;
  /** The schema that holds the tables; undefined where they stand among the application's. */
  readonly schema: string | undefined;
  /** Name of a table in messages, as the database has it. A table of the application has its own. */
  shown(table: string): string;
  /** The quoted name of a table, with its schema. */
  quoted(table: string): string;
  /** The name of a table as statements have it that are written by hand: quoted only where it has another one. */
  written(table: string): string;
  /** Name of an index, a constraint or a trigger. */
  object(name: string): string;
  /** The name of a function as statements have it, with its schema. */
  routine(name: string): string;
  /** A channel of notifications. */
  channel(name: string): string;
  /** The key of an advisory lock. */
  lock(key: bigint): string;
  /**
   * The described name of a table that was found (`shown`). Undefined for a table of another program that has the
   * described name of one of ours.
   */
  described(shown: string): string | undefined;
  /** True if a table that was found is one of the service's own, whatever the case of its letters. */
  isOwn(table: FoundTable): boolean;
}
