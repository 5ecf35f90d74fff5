import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useTell } from '../parts/problem.ts';
import { useUndoNotice } from '../parts/undo.tsx';
import { useText } from '../texts/provider.ts';
import { type RefusedRestore, restoreAll } from './trashed.ts';

/** Notifies that records went to the trash, and offers to restore them at once; later they are in its list. */
export const useTrashedNotice = (path: string): ((ids: readonly number[]) => void) => {
  const text = useText();
  const notify = useNotify();
  const offer = useUndoNotice();
  const tell = useTell();
  const client = useQueryClient();
  return (ids) =>
    offer(text('trash.moved', { count: ids.length }), async () => {
      const refused = await restoreAll(path, ids);
      const count = ids.length - refused.length;
      const [first] = refused;
      if (first !== undefined) tell(first.error);
      if (count > 0) notify(text('trash.restored', { count }), { type: 'success' });
      await client.invalidateQueries();
    });
};

/** Restores records, and keeps refusals with their reasons until the next attempt. */
export const useRestore = (path: string) => {
  const text = useText();
  const notify = useNotify();
  const client = useQueryClient();
  const [busy, setBusy] = useState<readonly number[]>([]);
  const [refused, setRefused] = useState<readonly RefusedRestore[]>([]);
  /** Returns the number of restored records. */
  const restoreRecords = async (ids: readonly number[]): Promise<number> => {
    setBusy(ids);
    setRefused([]);
    const left = await restoreAll(path, ids);
    const count = ids.length - left.length;
    setRefused(left);
    setBusy([]);
    if (count > 0) {
      notify(text('trash.restored', { count }), { type: 'success' });
      await client.invalidateQueries();
    }
    return count;
  };
  return { busy, refused, bringBack: restoreRecords };
};
