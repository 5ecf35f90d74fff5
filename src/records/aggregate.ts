/** The door to aggregates: groups and measures of the rows that a grant admits. */

export type { Aggregate } from './aggregate/aggregate.ts';
export { createAggregate } from './aggregate/aggregate.ts';
