import { useCallback, useState } from 'react';
import { failureOf } from './problem.ts';

/** The reason why a form was not saved. */
export interface Refusal {
  /** Messages by field. */
  readonly fields: Readonly<Record<string, string>>;
  /** An error of no field. */
  readonly failure: unknown;
  /** Number of the attempt: each one focuses the first wrong field again. */
  readonly attempt: number;
}

const nothing: Refusal = { fields: {}, failure: undefined, attempt: 0 };

export interface RefusalState {
  readonly refusal: Refusal;
  /** Called after a failed attempt. */
  readonly refuse: (error: unknown) => void;
  /** Called if the input cannot be sent. */
  readonly refuseFields: (fields: Readonly<Record<string, string>>) => void;
  /** Called when a field is edited: its message no longer applies. */
  readonly correct: (field: string) => void;
  readonly clear: () => void;
}

/** The errors of a form from one attempt to the next. */
export const useRefusal = (): RefusalState => {
  const [refusal, setRefusal] = useState(nothing);
  const put = (fields: Refusal['fields'], failure: unknown): void =>
    setRefusal(({ attempt }) => ({ fields, failure, attempt: attempt + 1 }));
  return {
    refusal,
    refuse: (error) => {
      const { fields } = failureOf(error);
      put(fields, Object.keys(fields).length === 0 ? error : undefined);
    },
    refuseFields: (fields) => put(fields, undefined),
    correct: useCallback(
      (field) =>
        setRefusal((current) => {
          if (current.fields[field] === undefined) return current;
          const { [field]: _corrected, ...fields } = current.fields;
          return { ...current, fields };
        }),
      [],
    ),
    clear: () => setRefusal(({ attempt }) => ({ ...nothing, attempt })),
  };
};
