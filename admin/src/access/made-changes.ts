import { useState } from 'react';
import { entryKey, inverse, type PermissionChange } from './permission-table.ts';
import { useSaveChanges } from './whole-change.tsx';

/** The ticks that were set or taken since the page was entered, and the way back from all of them at once. */
export const useMadeChanges = () => {
  const [made, setMade] = useState<ReadonlyMap<string, PermissionChange>>(new Map());
  const save = useSaveChanges();
  /** A tick that is set and taken again is no change. */
  const note = (change: PermissionChange): void =>
    setMade((before) => {
      const after = new Map(before);
      if (!after.delete(entryKey(change))) after.set(entryKey(change), change);
      return after;
    });
  const undo = async (): Promise<void> => {
    if (await save(inverse([...made.values()]))) setMade(new Map());
  };
  return { count: made.size, note, undo };
};
