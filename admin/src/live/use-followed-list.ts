/** A list that shows changes of its records as they happen. */

import { useQueryClient } from '@tanstack/react-query';
import { type Identifier, useListContext } from 'ra-core';
import { useState } from 'react';
import type { RowMark, RowMarks } from '../parts/row-marks.tsx';
import type { AnyRecord, RecordId } from '../records/record.ts';
import { dataProvider } from '../service.ts';
import type { RecordChange } from './follow.ts';
import { type LiveState, useFollowing } from './use-following.ts';

/** Changed records per request; after more changes the list is read again on demand. */
const maxChanged = 100;

interface FollowedList {
  readonly state: LiveState | undefined;
  readonly marks: RowMarks;
  /** Number of new records that the list does not show yet. */
  readonly fresh: number;
  /** Shows the new records. */
  readonly show: () => void;
}

/** The last event of each record. */
const lastOf = (changes: readonly RecordChange[]): ReadonlyMap<RecordId, RecordChange> =>
  new Map(changes.map((change) => [change.id, change]));

/** Milliseconds that a row stays marked as changed. */
const shownFor = 5_000;

const withoutChanged = (marks: RowMarks, last: ReadonlyMap<RecordId, RecordChange>): RowMarks =>
  new Map([...marks].filter(([id, { kind }]) => kind === 'deleted' || !last.has(id)));

interface Page {
  readonly data: readonly AnyRecord[];
}

const nothing = { marks: new Map<Identifier, RowMark>(), fresh: new Set<RecordId>() } as const;

/**
 * The list of the list context with live changes: changed rows are updated, new records are counted, deleted ones are
 * marked. No row moves before the user asks for it.
 */
export const useFollowedList = (model: string | undefined): FollowedList => {
  const list = useListContext<AnyRecord>();
  const client = useQueryClient();
  const { resource, data = [], filterValues, filter, sort, page, setPage, refetch } = list;
  const [seen, setSeen] = useState<{ readonly marks: RowMarks; readonly fresh: ReadonlySet<RecordId> }>(
    nothing,
  );
  const shown = new Set(data.map(({ id }) => id));

  /** The given records that match the filter of the list, in their current state. */
  const readMatching = async (ids: readonly RecordId[], filtered: boolean): Promise<readonly AnyRecord[]> => {
    if (ids.length === 0) return [];
    const answer = await dataProvider.getList<AnyRecord>(resource, {
      filter: { ...(filtered ? { ...filterValues, ...filter } : {}), id: ids.slice(0, maxChanged) },
      pagination: { page: 1, perPage: maxChanged },
      sort,
    });
    return answer.data;
  };

  const onChanges = async (changes: readonly RecordChange[]): Promise<void> => {
    const last = lastOf(changes);
    const of = (wanted: (change: RecordChange) => boolean): RecordId[] =>
      [...last.values()].filter(wanted).map(({ id }) => id);
    const [now, came] = await Promise.all([
      readMatching(
        of(({ id, action }) => action !== 'destroy' && shown.has(id)),
        false,
      ),
      readMatching(
        of(({ id, action }) => action === 'create' && !shown.has(id)),
        true,
      ),
    ]);
    const current = new Map(now.map((record) => [record.id, record]));
    client.setQueriesData<Page>(
      { queryKey: [resource, 'getList'], type: 'active' },
      (old) => old && { ...old, data: old.data.map((record) => current.get(record.id) ?? record) },
    );
    setSeen(({ marks, fresh }) => {
      const [nextMarks, nextFresh] = [new Map(marks), new Set(fresh)];
      for (const { id, action } of last.values()) {
        if (action === 'destroy') nextFresh.delete(id);
        const kind = action === 'destroy' ? 'deleted' : 'changed';
        if (shown.has(id)) nextMarks.set(id, { kind, turn: marks.get(id)?.turn !== true });
      }
      for (const { id } of came) nextFresh.add(id);
      return { marks: nextMarks, fresh: nextFresh };
    });
    setTimeout(
      () => setSeen(({ marks, fresh }) => ({ marks: withoutChanged(marks, last), fresh })),
      shownFor,
    );
  };

  // Another page or order discards the marks of the one before.
  const where = JSON.stringify([page, sort, filterValues]);
  const [seenAt, setSeenAt] = useState(where);
  if (seenAt !== where) {
    setSeenAt(where);
    setSeen(nothing);
  }

  const state = useFollowing(model, {
    onChanges: (changes) => void onChanges(changes).catch(() => {}),
    onGap: () => void refetch(),
  });
  return {
    state,
    marks: seen.marks,
    fresh: [...seen.fresh].filter((id) => !shown.has(id)).length,
    show: () => {
      setSeen(nothing);
      if (page === 1) void refetch();
      else setPage(1);
    },
  };
};
