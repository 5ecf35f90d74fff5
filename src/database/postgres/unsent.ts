import { readByMany } from '../../kernel/owned-bytes.ts';
import { PassingMap } from '../../kernel/passing-map.ts';
import type { Caller, Query } from '../database.ts';

/** What is known of a read that may be asked by several. */
export interface Asking {
  /** Whether it is. Certain once it has been sent. */
  readonly isShared: boolean;
}

/**
 * Rows as everybody takes them who asked for them. One asker owns the bytes in them, and may move and free them; those
 * of several stay.
 */
export const rowsFor = <Rows extends unknown[]>(rows: Rows, asking: Asking): Rows => {
  if (!asking.isShared) return rows;
  for (const row of rows as Record<string, unknown>[])
    for (const name in row) {
      const value = row[name];
      if (value instanceof Uint8Array) row[name] = readByMany(value);
    }
  return rows;
};

interface Unsent<Answer> {
  readonly asking: { isShared: boolean };
  readonly answer: Answer;
}

/**
 * Reads that wait to be sent. One that is the same as another and comes before that one is sent gets its answer: the
 * server sees what was committed before either was asked for. So what many ask at a time is answered once.
 */
export class UnsentReads<Answer> {
  /** By text, then by values: texts are few and their hashes known. */
  readonly #reads = new PassingMap<string, PassingMap<string, Unsent<Answer>>>();

  /** What is asked already in the same words; else it is asked, and told once it is sent. */
  ask(query: Query, by: string, send: (asking: Asking, sent: () => void) => Answer): Answer {
    const values = `${by}\n${JSON.stringify(query.parameters)}`;
    const alike = this.#alike(query.sql);
    const known = alike.get(values);
    if (known !== undefined) {
      known.asking.isShared = true;
      return known.answer;
    }
    const asking = { isShared: false };
    const answer = send(asking, () => {
      alike.delete(values);
      if (alike.size === 0 && this.#reads.get(query.sql) === alike) this.#reads.delete(query.sql);
    });
    alike.set(values, { asking, answer });
    return answer;
  }

  /** All have been sent. */
  clear(): void {
    this.#reads.clear();
  }

  #alike(sql: string): PassingMap<string, Unsent<Answer>> {
    const known = this.#reads.get(sql);
    if (known !== undefined) return known;
    const alike = new PassingMap<string, Unsent<Answer>>();
    this.#reads.set(sql, alike);
    return alike;
  }
}

/** A scan that waits for its place, for as long as one of those who asked for it is there. */
interface WaitingScan {
  readonly rows: Promise<unknown[]>;
  askers: number;
  /** Told when the last of them has hung up. */
  giveUp(): void;
}

/** The same for scans: what one caller asks several times at once takes one place. */
export class UnsentScans {
  readonly #unsent = new UnsentReads<WaitingScan>();

  ask(
    query: Query,
    by: Caller | undefined,
    send: (by: Caller | undefined, sent: () => void) => Promise<unknown[]>,
  ): Promise<unknown[]> {
    const waiting = this.#unsent.ask(query, by?.caller ?? '', (asking, sent) => {
      const nobody = new AbortController();
      const anybody = by && {
        caller: by.caller,
        signal: nobody.signal,
        cut: (reason: Error) => by.cut(reason),
      };
      const giveUp = (): void => {
        sent();
        nobody.abort();
      };
      const rows = send(anybody, sent).finally(sent);
      return { rows: rows.then((found) => rowsFor(found, asking)), askers: 0, giveUp };
    });
    return by === undefined ? waiting.rows : joined(waiting, by.signal);
  }
}

const joined = async (scan: WaitingScan, signal: AbortSignal): Promise<unknown[]> => {
  const leave = (): void => {
    scan.askers -= 1;
    if (scan.askers === 0) scan.giveUp();
  };
  scan.askers += 1;
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  try {
    return await scan.rows;
  } finally {
    signal.removeEventListener('abort', leave);
  }
};
