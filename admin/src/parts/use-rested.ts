import { useEffect, useState } from 'react';

/** Milliseconds of rest after which what was typed is looked for. */
const restTime = 200;

/** The typed text, once nothing more is typed for a moment. */
export const useRested = (words: string): string => {
  const [rested, setRested] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setRested(words), restTime);
    return () => clearTimeout(timer);
  }, [words]);
  return rested;
};
