import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { failureOf } from '../parts/problem.ts';
import type { RefusalState } from '../parts/refusal.ts';
import { useText } from '../texts/provider.ts';
import { type LinesField, rowsOf } from './lines.ts';
import type { Metadata } from './metadata.ts';
import type { AnyRecord } from './record.ts';
import { changedBetween, type Draft, differ } from './use-draft.ts';

export interface RecordFormProps {
  readonly metadata: Metadata;
  readonly first: Draft;
  readonly path: string;
  /** Relations whose records are written along. */
  readonly lines?: readonly LinesField[];
  /** Where the way out leads; the list of the resource where absent. */
  readonly back?: string;
  /** The dialog around the form, where it is on no page: it asks before it closes. */
  readonly frame?: (form: ReactNode, leave: () => void) => ReactNode;
  /** Goes where the form stands in a frame: without a record, or with the one that was made. */
  readonly onEnd?: (id?: number) => void;
  /** Stands above the fields. */
  readonly note?: ReactNode;
  /** Whether a further record can be made at once. */
  readonly another?: boolean;
  /** Reads the record again; absent for a new one. */
  readonly reload?: () => Promise<AnyRecord>;
  /** Saves what differs from `before`; returns the id. */
  readonly save: (draft: Draft, before: Draft) => Promise<number>;
}

/**
 * Saves what a form holds, and tells what came of it: the record's page, what is wrong, or another one's version. `begin`
 * empties the form for a further record.
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

  const done = async (id: number, another = false): Promise<void> => {
    await client.invalidateQueries();
    const { label } = metadata;
    notify(another ? text('records.added', { label, id }) : text('common.saved'), { type: 'success' });
    saved();
    if (another) begin();
    else if (onEnd !== undefined) onEnd(id);
    else await navigate(`/records/${path}/${id}/show`);
  };

  const fail = async (error: unknown, values: Draft, base: Draft): Promise<void> => {
    if (failureOf(error).status !== 412 || reload === undefined) return refuse(error);
    const current = await reload();
    // An answer that did not arrive in time can have been a success.
    const wanted = changedBetween(metadata.fields, base, values);
    const missing = changedBetween(wanted, values, current);
    const linesDiffer = lines.some(({ name }) => differ(rowsOf(values[name]), rowsOf(current[name])));
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
