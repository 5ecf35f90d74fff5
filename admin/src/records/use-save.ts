/** Saving a record from its form, with the handling of errors and conflicts. */

import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { failureOf } from '../parts/problem.ts';
import type { RefusalState } from '../parts/refusal.ts';
import { useText } from '../texts/provider.ts';
import { type LinesField, rowsOf } from './lines.ts';
import type { Metadata } from './metadata.ts';
import type { AnyRecord, RecordId } from './record.ts';
import { changedBetween, type Draft, isDifferent } from './use-draft.ts';

export interface RecordFormProps {
  readonly metadata: Metadata;
  readonly first: Draft;
  readonly path: string;
  /** Relations whose records are written with the record. */
  readonly lines?: readonly LinesField[];
  /** Path of the cancel button; the list of the resource if absent. */
  readonly back?: string;
  /** The dialog around a form within a page: it asks before it closes. */
  readonly frame?: (form: ReactNode, leave: () => void) => ReactNode;
  /** Called by a form in a frame, with the id of a new record or without one. */
  readonly onEnd?: (id?: RecordId) => void;
  /** Elements above the fields. */
  readonly note?: ReactNode;
  /** True if another record can be created afterwards. */
  readonly another?: boolean;
  /** Reads the record again; absent for a new record. */
  readonly reload?: () => Promise<AnyRecord>;
  /** Saves the differences from `before`; returns the id. */
  readonly save: (draft: Draft, before: Draft) => Promise<RecordId>;
}

/**
 * Saves the input of a form and shows the result: the page of the record, errors, or a conflict with another version.
 * `begin` empties the form for another record.
 */
export const useSave = (
  { metadata, lines = [], path, reload, save, onEnd }: RecordFormProps,
  { clear, refuse }: RefusalState,
  saved: () => void,
  begin: () => void,
) => {
  const text = useText();
  const notify = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [theirs, setTheirs] = useState<AnyRecord>();

  const done = async (id: RecordId, another = false): Promise<void> => {
    await client.invalidateQueries();
    const { label } = metadata;
    notify(another ? text('records.added', { label, id }) : text('common.saved'), { type: 'success' });
    saved();
    if (another) begin();
    else if (onEnd !== undefined) onEnd(id);
    else await navigate(`/records/${path}/${encodeURIComponent(id)}/show`);
  };

  const fail = async (error: unknown, values: Draft, base: Draft): Promise<void> => {
    if (failureOf(error).status !== 412 || reload === undefined) return refuse(error);
    const current = await reload();
    // A request without a response may have succeeded.
    const wanted = changedBetween(metadata.fields, base, values);
    const missing = changedBetween(wanted, values, current);
    const linesDiffer = lines.some(({ name }) => isDifferent(rowsOf(values[name]), rowsOf(current[name])));
    if (missing.length === 0 && !linesDiffer) await done(current.id);
    else setTheirs(current);
  };

  const submit = async (values: Draft, base: Draft, another = false): Promise<void> => {
    setBusy(true);
    clear();
    try {
      await done(await save(values, base), another);
    } catch (error) {
      await fail(error, values, base).catch(refuse);
    } finally {
      setBusy(false);
    }
  };
  return { busy, submit, theirs, setTheirs };
};
