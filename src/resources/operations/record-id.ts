import { Problem } from '../../kernel/problem.ts';

/** True if a value of a body, of code or of a file can be the id of a record. */
export const isId = (id: unknown): id is number => Number.isSafeInteger(id) && Number(id) > 0;

/** The value as an id. @throws Problem `record_not_found` for a value that cannot be one */
export const requireId = (id: unknown): number => {
  if (!isId(id)) throw new Problem('record_not_found');
  return id;
};
