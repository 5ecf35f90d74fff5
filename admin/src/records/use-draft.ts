import { useState } from 'react';
import { exactJson } from '../exact.ts';
import type { MetadataField } from './metadata.ts';
import { isNotJson } from './not-json.ts';

export type Draft = Readonly<Record<string, unknown>>;

/** True if two values of a field look different to a reader. */
export const isDifferent = (one: unknown, other: unknown): boolean =>
  isNotJson(one) ||
  isNotJson(other) ||
  exactJson.stringify(one ?? null) !== exactJson.stringify(other ?? null);

export const changedBetween = (
  fields: readonly MetadataField[],
  before: Draft,
  after: Draft,
): readonly MetadataField[] => fields.filter(({ name }) => isDifferent(before[name], after[name]));

/** The input of a record's form, and its initial values. */
export const useDraft = (first: Draft, fields: readonly MetadataField[]) => {
  const [state, setState] = useState({ before: first, draft: first, version: 0 });
  const { before, draft, version } = state;
  const put = (next: { readonly before?: Draft; readonly draft: Draft }): void =>
    setState((current) => ({ ...current, ...next, version: current.version + 1 }));
  return {
    before,
    draft,
    /** Changes with each value that was not typed: inputs that hold a text of their own are created again. */
    version,
    changed: changedBetween(fields, before, draft),
    /** Names of the fields with an invalid text in place of a value. */
    broken: fields.filter(({ name }) => isNotJson(draft[name])).map(({ name }) => name),
    type: (name: string, value: unknown): void =>
      setState((current) => ({ ...current, draft: { ...current.draft, [name]: value } })),
    put,
    /** Restores the saved values; returns a function that undoes this. */
    discard: (): (() => void) => {
      const typed = draft;
      put({ draft: before });
      return () => put({ draft: typed });
    },
  };
};
