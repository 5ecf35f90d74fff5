import type { Difference } from './differences.ts';

export interface MissingIndex {
  readonly table: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/**
 * The indexes that models have and the database has not, of all that differs. Those of tables that are missing go with
 * these.
 */
export const missingIndexes = (found: readonly Difference[]): readonly MissingIndex[] =>
  found.flatMap((difference): MissingIndex[] => {
    switch (difference.kind) {
      case 'missing_index':
      case 'missing_unique': {
        const { table, columns, kind } = difference;
        return [{ table, columns, unique: kind === 'missing_unique' }];
      }
      case 'missing_column':
      case 'changed_column': {
        const { table, field } = difference;
        const isNew = difference.kind === 'missing_column';
        const { unique, column, reference, options } = field;
        const isWanted = unique || options.index === true || reference !== undefined;
        const isMissing = isNew || difference.aspects.includes(unique ? 'unique' : 'index');
        return isWanted && isMissing ? [{ table, columns: [column], unique }] : [];
      }
      default:
        return [];
    }
  });
