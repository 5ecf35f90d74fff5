import { useState } from 'react';
import { entryKey, invertChanges, type PermissionChange } from './permission-table.ts';
import { useSaveChanges } from './whole-change.tsx';

/** The permissions changed since the page was opened, and a function that undoes all of them. */
export const useSessionChanges = () => {
  const [made, setMade] = useState<ReadonlyMap<string, PermissionChange>>(new Map());
  const save = useSaveChanges();
  /** A permission that is changed and changed back counts as unchanged. */
  const note = (change: PermissionChange): void =>
    setMade((before) => {
      const after = new Map(before);
      if (!after.delete(entryKey(change))) after.set(entryKey(change), change);
      return after;
    });
  const undo = async (): Promise<void> => {
    if (await save(invertChanges([...made.values()]))) setMade(new Map());
  };
  return { count: made.size, last: [...made.values()].at(-1), note, undo };
};
