import { maxOverlapSeconds } from '../database/tables.ts';
import { field } from '../fields/define.ts';

/** Seconds for which a replaced secret stays valid beside the new one, unless the request specifies them. */
export const defaultOverlapSeconds = 86_400;

/** The overlap as an input of every rotation. */
export const overlapField = field.integer({
  min: 0,
  max: maxOverlapSeconds,
  default: defaultOverlapSeconds,
});
