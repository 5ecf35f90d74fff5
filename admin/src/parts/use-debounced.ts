import { useEffect, useState } from 'react';

/** Milliseconds without a key stroke after which a search starts. */
const restTime = 200;

/** The typed text, once the user pauses. */
export const useDebounced = (words: string): string => {
  const [rested, setRested] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setRested(words), restTime);
    return () => clearTimeout(timer);
  }, [words]);
  return rested;
};
