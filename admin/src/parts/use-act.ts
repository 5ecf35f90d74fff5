import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useTell } from './problem.ts';

/** Says that something is done, and has the page read again. */
export const useChanged = (): ((message: string) => Promise<void>) => {
  const notify = useNotify();
  const client = useQueryClient();
  return async (message) => {
    notify(message, { type: 'success' });
    await client.invalidateQueries();
  };
};

/** Changes something: says that it is done or why not, and has the page read again, or leaves it. */
export const useAct = () => {
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const act = async (
    change: () => Promise<unknown>,
    done?: string,
    leave?: () => Promise<void> | void,
  ): Promise<void> => {
    setBusy(true);
    try {
      await change();
      if (done !== undefined) notify(done, { type: 'success' });
      await leave?.();
    } catch (error) {
      tell(error);
    }
    // A page that is left would read what is gone.
    if (leave === undefined) await client.invalidateQueries();
    setBusy(false);
  };
  return { busy, act };
};
