import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useTell } from '../parts/problem.ts';
import { useUndoNotice } from '../parts/undo.tsx';
import { useText } from '../texts/provider.ts';
import { bringAllBack } from './trashed.ts';

/** Says that records went to the trash, and offers to bring them back at once; after that there is its list. */
export const useTrashedNotice = (path: string): ((ids: readonly number[]) => void) => {
  const text = useText();
  const notify = useNotify();
  const offer = useUndoNotice();
  const tell = useTell();
  const client = useQueryClient();
  return (ids) =>
    offer(text('trash.moved', { count: ids.length }), async () => {
      const refused = await bringAllBack(path, ids);
      const count = ids.length - refused.length;
      const [first] = refused;
      if (first !== undefined) tell(first.error);
      if (count > 0) notify(text('trash.restored', { count }), { type: 'success' });
      await client.invalidateQueries();
    });
};
