import { useCallback, useState } from 'react';
import { failureOf } from './problem.ts';

/** The reason why a form was not saved. */
export interface Refusal {
  /** Messages by field. */
  readonly fields: Readonly<Record<string, string>>;
  /** Errors of no field in particular. */
  readonly failure: unknown;
  /** Which attempt it was: another one leads to the first wrong field again. */
  readonly attempt: number;
}

const nothing: Refusal = { fields: {}, failure: undefined, attempt: 0 };

export interface RefusalState {
  readonly refusal: Refusal;
  /** An attempt failed. */
  readonly refuse: (error: unknown) => void;
  /** The input cannot even be sent. */
  readonly refuseFields: (fields: Readonly<Record<string, string>>) => void;
  /** A field was typed into again: what was said of it does not hold any more. */
  readonly correct: (field: string) => void;
  readonly clear: () => void;
}

/** The refusals of a form, from the attempt that met them to the next one. */
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
