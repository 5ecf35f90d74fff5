/** Reads values of a file of JSON that another program wrote, with an error that names the place of a wrong one. */

import { SourceError } from './source.ts';

export type JsonMap = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws SourceError */
export const mapAt = (value: unknown, place: string): JsonMap => {
  if (!isMap(value)) throw new SourceError(`${place} is no object`);
  return value;
};

/** The list at a place; empty where there is none. @throws SourceError */
export const listAt = (value: unknown, place: string): readonly unknown[] => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SourceError(`${place} is no list`);
  return value;
};

/** @throws SourceError */
export const textAt = (value: unknown, place: string): string => {
  if (typeof value !== 'string' || value === '') throw new SourceError(`${place} is no text`);
  return value;
};
