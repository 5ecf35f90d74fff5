import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';
import { bringAllBack, type RefusedReturn } from './trashed.ts';

/** Brings records back and keeps what was refused, with its reason, until the next try. */
export const useBringBack = (path: string) => {
  const text = useText();
  const notify = useNotify();
  const client = useQueryClient();
  const [busy, setBusy] = useState<readonly number[]>([]);
  const [refused, setRefused] = useState<readonly RefusedReturn[]>([]);
  /** Answers how many came back. */
  const bringBack = async (ids: readonly number[]): Promise<number> => {
    setBusy(ids);
    setRefused([]);
    const left = await bringAllBack(path, ids);
    const count = ids.length - left.length;
    setRefused(left);
    setBusy([]);
    if (count > 0) {
      notify(text('trash.restored', { count }), { type: 'success' });
      await client.invalidateQueries();
    }
    return count;
  };
  return { busy, refused, bringBack };
};
