/**
 * Words for a difference between the models and the database, and its weight: a failing request or a missing promise.
 */

import type { Aspect, Difference } from './differences.ts';

const aspectTexts: Readonly<Record<Aspect, (kind: string) => string>> = {
  type: (kind) => `is not stored as ${kind}`,
  required: () => 'is required and may be null in the database',
  demanded: () => 'is optional and the database demands a value',
  reference: () => 'refers to something else in the database',
  on_delete: () => 'goes otherwise in the database with what it refers to',
  same: () => 'has another same in the database, or has it only there, or only in the model',
  unique: () => 'has no unique index, or one too many',
  index: () => 'has no index, or one too many',
};

/** One line that says what differs, beginning with the field as the model file has it. */
export const describeDifference = (difference: Difference): string => {
  switch (difference.kind) {
    case 'missing_table':
      return `${difference.model.name}: the database has no table ${difference.model.table}`;
    case 'surplus_table':
      return `${difference.table}: a table of no model`;
    case 'missing_column':
      return `${difference.table}.${difference.field.name}: the database has no such column`;
    case 'missing_own_column':
      return `${difference.table}.${difference.column}: missing, and createTable would have made it`;
    case 'changed_key':
      return `${difference.table}.id: the table was not made with the key '${difference.key}', and a key stays as it is`;
    case 'external_flaw':
      return difference.sentence;
    case 'surplus_column':
      return `${difference.table}.${difference.column}: a column of no field${difference.demanded ? ' that demands a value' : ''}`;
    case 'changed_column': {
      const texts = difference.aspects.map((aspect) => aspectTexts[aspect](difference.field.kind));
      return `${difference.table}.${difference.field.name}: ${texts.join('; ')}`;
    }
    case 'missing_index':
      return `${difference.table}: no index over ${difference.columns.join(', ')}`;
    case 'surplus_index':
      return `${difference.table}: an index over ${difference.columns.join(', ')} that the model does not name`;
    case 'missing_unique':
      return `${difference.table}: ${difference.columns.join(', ')} are not unique as a set in the database`;
    case 'surplus_unique':
      return `${difference.table}: ${difference.columns.join(', ')} are unique as a set in the database only`;
    case 'changed_search':
      return difference.to.length === 0
        ? `${difference.table}: a full-text search that the model does not name`
        : `${difference.table}: no full-text search over ${difference.to.join(', ')}`;
  }
};

/** Without its key, concurrent writes would pass the border that `same` draws. */
const failing: ReadonlySet<Aspect> = new Set(['type', 'demanded', 'same']);

/**
 * True if some request would fail, or read and write wrong values. Everything else is a promise that the database
 * does not keep (an index, a reference, a rule for rows that are there already) or something that no model asks for.
 */
export const breaksRequests = (difference: Difference): boolean => {
  switch (difference.kind) {
    case 'missing_table':
    case 'missing_column':
    case 'missing_own_column':
    case 'changed_key':
      return true;
    case 'external_flaw':
      return difference.breaks;
    case 'surplus_column':
      return difference.demanded;
    case 'changed_column':
      return difference.aspects.some((aspect) => failing.has(aspect));
    case 'surplus_table':
    case 'missing_index':
    case 'surplus_index':
    case 'missing_unique':
    case 'surplus_unique':
      return false;
    case 'changed_search':
      return difference.to.length > 0;
  }
};
