import type { Response, Workplace } from './service.ts';

/** The parts that a check works with. */
export interface Checked {
  readonly place: Workplace;
  /** Copies the solution into the folder, over the files that the task gives. */
  add(): Promise<void>;
  /** Prints whether a claim about the solution holds; the check goes on in both cases. */
  holds(claim: string, test: () => Promise<void>): Promise<void>;
}

/** Scores a solution; an error that it throws is one of the solution. */
export type Check = (checked: Checked) => Promise<void>;

/** @throws Error that names both values, unless they are equal as JSON */
export const same = (found: unknown, expected: unknown, what = 'the value'): void => {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what} is ${one}, expected ${other}`);
};

/** @throws Error with the message of the service, unless a response has the status */
export const hasStatus = (response: Response, status: number): void => {
  if (response.status !== status)
    throw new Error(`the status is ${response.status} (${response.message}), expected ${status}`);
};

/** Tries again until a test passes, for 20 seconds. @throws the last error */
export const eventually = async (test: () => Promise<void>): Promise<void> => {
  const end = Date.now() + 20_000;
  for (;;) {
    try {
      return await test();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};
