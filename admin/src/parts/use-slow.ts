import { useEffect, useState } from 'react';

/** Milliseconds after which waiting is longer than one is used to. */
const usual = 6_000;

/** Whether something has been under way for so long that a word should be said about it. */
export const useSlow = (busy: boolean): boolean => {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setSlow(true), usual);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [busy]);
  return slow;
};
