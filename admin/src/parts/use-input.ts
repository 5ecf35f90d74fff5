import { useState } from 'react';
import { exactJson } from '../exact.ts';

/** The input of a form with known fields, and its initial values. */
export const useInput = <Input extends object>(opened: Input) => {
  // Initial values must not change while the form is open.
  const [first] = useState(opened);
  const [input, setInput] = useState(opened);
  const changed = (Object.keys(input) as (keyof Input & string)[]).filter(
    (name) => exactJson.stringify(input[name] ?? null) !== exactJson.stringify(first[name] ?? null),
  );
  return {
    input,
    /** Number of changed fields. */
    changes: changed.length,
    put: (next: Input): void => setInput(next),
    change: (part: Partial<Input>): void => setInput((current) => ({ ...current, ...part })),
    /** Restores the initial values; returns a function that undoes this. */
    discard: (): (() => void) => {
      const typed = input;
      setInput(first);
      return () => setInput(typed);
    },
  };
};
