import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useTell } from './problem.ts';

/** Notifies of a success and reloads the data of the page. */
export const useChanged = (): ((message: string) => Promise<void>) => {
  const notify = useNotify();
  const client = useQueryClient();
  return async (message) => {
    notify(message, { type: 'success' });
    await client.invalidateQueries();
  };
};

/** Runs an action, notifies of its result, and reloads the data of the page or leaves it. */
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
    // A page that is left would read deleted data.
    if (leave === undefined) await client.invalidateQueries();
    setBusy(false);
  };
  return { busy, act };
};
