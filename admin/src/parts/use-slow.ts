import { useEffect, useState } from 'react';

/** Milliseconds after which a wait counts as long. */
const usual = 6_000;

/** True if something takes so long that a text should say so. */
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
