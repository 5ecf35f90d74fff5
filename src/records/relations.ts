/** The door to relations: related records within a response, and the records that refer to one. */

export type { Dependents, Referring } from './relations/dependents.ts';
export { createDependents, createReferring } from './relations/dependents.ts';
export type { Included } from './relations/include.ts';
export { maxAnswerBytes, nothingIncluded, parseIncluded } from './relations/include.ts';
export type { Readership, Related } from './relations/related.ts';
export { maxSteps } from './relations/related.ts';
