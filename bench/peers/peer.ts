import type { Product } from './product.ts';

/** A request before it is text. */
export interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
}

export type Headers = Readonly<Record<string, string>>;

/** Sends one request and answers the body. @throws Error where the answer is not a success */
export type Ask = (asked: Asked, headers?: Headers) => Promise<unknown>;

/** Somebody who signs in. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

/** A program of Node that serves. */
export interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the peer unless told. */
  readonly cwd?: string;
}

/** Where a peer is, with its packages. */
export interface Folders {
  /** Its application; its commands run here. */
  readonly folder: string;
  /** Where its database is: the one that is filled once, or a copy of it for a run. */
  readonly data: string;
}

/** What a peer needs while it is prepared. */
export interface Place extends Folders {
  /**
   * Runs a program of its Node to its end: the file `ROWS` has the rows, `USERS_OF_BENCH` emails and passwords.
   * Answers what it printed. @throws Error with the end of its words
   */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Starts it on its data, and stops it once all has been asked of it. */
  serve(use: (ask: Ask) => Promise<void>): Promise<void>;
}

/** How the database comes: what the peer's own connection answers to two pragmas. */
export interface Durability {
  readonly journal_mode: string;
  /** 0 off, 1 normal, 2 full, 3 extra. */
  readonly synchronous: number;
}

/** The records of a page, and how many there are in all where that is answered. */
export interface Page {
  readonly records: readonly unknown[];
  readonly total?: number;
}

/** Which page is asked for, from 1 on, and whether it counts. */
export interface Wanted {
  readonly page: number;
  readonly size: number;
  readonly total: boolean;
}

/** A server under measurement. Everything in which one differs from the others is a member. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** Exact versions from the registry; none for what belongs to this checkout. */
  readonly packages: Readonly<Record<string, string>>;
  /** `type` of its package.json, where it needs one. */
  readonly moduleType?: 'module';
  /** The version of Node that it runs on, where that is not the one of this process. */
  readonly node?: string;
  /** Its folder below `applications`, copied to where it is installed. */
  readonly application?: string;
  /** Files and folders besides its application: a change of them prepares the peer anew. */
  readonly sources: readonly string[];
  /** For the table: with what the user asks, and what is checked then. */
  readonly asks: string;
  /** For the table: where totals come from. */
  readonly total: string;
  /** Builds it, makes its tables, the users without administration, and the rows with ids from 1 on. */
  prepare(place: Place, rows: readonly Product[]): Promise<Durability>;
  /** As its documentation starts it in production. Its port comes as `PORT`. */
  command(folders: Folders): Command;
  /** Signs a user in, as a client does. @param number the user's place in `people.users` */
  signIn(ask: Ask, user: Person, number: number): Promise<Headers>;
  detail(key: string | number): string;
  /** A page in the order of ids; undefined where it cannot be asked for in this way. */
  page(wanted: Wanted): string | undefined;
  create(product: Product): Asked;
  /** The status that answers a create. */
  readonly created: number;
  /** The record in the answer to a detail or a create. */
  recordOf(answer: unknown): unknown;
  pageOf(answer: unknown, headers: globalThis.Headers): Page;
  /** What a path names a record by, where that is not its id. */
  keyOf?(record: unknown): string;
}
