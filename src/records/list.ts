/** The door to lists: a page of the rows that a grant admits, with filters, sorts, totals and cursors. */

export type { List, ListAnswer } from './list/list.ts';
export { createList, listedRows } from './list/list.ts';
export type { ListParameterName, ListShape } from './list/parameters.ts';
export type { PlainParameterName } from './list/plain-parameters.ts';
export { plainParameters } from './list/plain-parameters.ts';
export type { QueryParameter } from './list/query-string.ts';
export { invalidParameter, namesRelations, parseQueryString, unusableField } from './list/query-string.ts';
export { isSeekable } from './list/sort.ts';
