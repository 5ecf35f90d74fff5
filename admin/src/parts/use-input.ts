import { useState } from 'react';
import { exactJson } from '../exact.ts';

/** The input of a form whose fields are known, and its initial values. */
export const useInput = <Input extends object>(opened: Input) => {
  // The initial values of a form do not change under it.
  const [first] = useState(opened);
  const [input, setInput] = useState(opened);
  const changed = (Object.keys(input) as (keyof Input & string)[]).filter(
    (name) => exactJson.stringify(input[name] ?? null) !== exactJson.stringify(first[name] ?? null),
  );
  return {
    input,
    /** How many fields differ. */
    changes: changed.length,
    put: (next: Input): void => setInput(next),
    change: (part: Partial<Input>): void => setInput((current) => ({ ...current, ...part })),
    /** Puts the first values back; returns a function that undoes this. */
    discard: (): (() => void) => {
      const typed = input;
      setInput(first);
      return () => setInput(typed);
    },
  };
};
