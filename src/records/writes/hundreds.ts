import type { SqlValue } from '../../database/database.ts';

/** Ids of one statement. */
export const idsPerStatement = 100;

/** The ids in hundreds; fewer are filled up with the first one, so that the SQL is the same. */
export const byHundreds = <Value extends SqlValue>(values: readonly Value[]): readonly (readonly Value[])[] =>
  Array.from({ length: Math.ceil(values.length / idsPerStatement) }, (_, index) => {
    const part = values.slice(index * idsPerStatement, (index + 1) * idsPerStatement);
    const filling = Array.from({ length: idsPerStatement - part.length }, () => part.slice(0, 1)).flat();
    return [...part, ...filling];
  });
