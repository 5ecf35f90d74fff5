import type { Query } from '../database.ts';

/** Requests of the main thread to a reader thread; each is answered by one `Reply` with the same `id`. */
export type ReaderRequest = { readonly id: number } & ReaderCommand;

export type ReaderCommand =
  | { readonly kind: 'scan'; readonly query: Query }
  /** Begins a stream; its number is the `id` of this request. Answered with its first chunk. */
  | { readonly kind: 'open'; readonly query: Query }
  | { readonly kind: 'next'; readonly stream: number }
  | { readonly kind: 'end'; readonly stream: number };

export type ReaderReply =
  | { readonly id: number; readonly value: unknown }
  | {
      readonly id: number;
      readonly error: { readonly message: string; readonly errcode: number | undefined };
    };

/** The result of a scan. */
export interface Scanned<Row = unknown> {
  readonly rows: Row[];
  /** The time that it took its thread. */
  readonly milliseconds: number;
}

export interface WorkerData {
  readonly path: string;
}
