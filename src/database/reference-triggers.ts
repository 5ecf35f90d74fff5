/** What a dialect knows of the triggers that raise a record's version when a reference of it becomes null. */
export interface ReferenceTriggers {
  /** Statements that make the trigger of this name for a column of a resource's table. */
  create(table: string, column: string, trigger: string): readonly string[];
  /** Does nothing where there is no such trigger. */
  drop(table: string, trigger: string): string;
}
