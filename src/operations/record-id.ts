import { Problem } from '../kernel/problem.ts';

/** Whether a value of a body, of code or of a file can be the id of a record. */
export const isId = (id: unknown): id is number => Number.isSafeInteger(id) && Number(id) > 0;

/** The id that a value is. @throws Problem `record_not_found` for what can be none */
export const knownId = (id: unknown): number => {
  if (!isId(id)) throw new Problem('record_not_found');
  return id;
};
