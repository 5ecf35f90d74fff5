/** The door to the log of refused requests. */

export { refusalEntity } from './refusals/entity.ts';
export type { GroupedRefusal, RefusalStore } from './refusals/refusals.ts';
export { createRefusals } from './refusals/refusals.ts';
