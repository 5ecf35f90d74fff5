/**
 * How the service's own tables keep the id of a record of any model. A column of integers has the id itself where it is
 * one, and otherwise a number that follows from the text, by which the indexes find it.
 */

import { hash } from 'node:crypto';
import type { RecordId } from '../fields/key.ts';

/** Hexadecimal digits that fit a safe integer. */
const digits = 13;

/** The number that a table of the service keeps for a record. */
export const recordNumber = (id: RecordId): number =>
  typeof id === 'number' ? id : Number.parseInt(hash('sha256', id).slice(0, digits), 16);

/** The id that a table of the service keeps. */
export const storedRecord = (number: number): RecordId => Number(number);
