/** Entry of a reader thread: statements that would hold up the main thread for too long run here. */

import { parentPort, workerData } from 'node:worker_threads';
import type { Chunk } from '../chunk-stream.ts';
import type { Query } from '../database.ts';
import { whileBusy } from './busy.ts';
import { bind, SqliteConnection } from './connection.ts';
import { isSqliteError } from './errors.ts';
import type { ReaderReply, ReaderRequest, Scanned, WorkerData } from './protocol.ts';

/** A chunk ends with the row that reaches this many UTF-16 units, or after this many milliseconds. */
const chunkLength = 65_536;
const chunkTime = 5;

/** Most rows of a scan. A page has 1,000 at most; a statement that finds everything belongs into a stream. */
const scanRows = 100_000;

/** Connections kept for the next stream. */
const spareConnections = 2;

const { path } = workerData as WorkerData;
const spare: SqliteConnection[] = [];
const streams = new Map<
  number,
  { readonly connection: SqliteConnection; readonly rows: Iterator<unknown> }
>();

/** An open iteration is an open read transaction, so each has a connection, and with it a snapshot, of its own. */
const takeConnection = (): SqliteConnection => spare.pop() ?? new SqliteConnection(path, 'scanner');

const giveBack = (connection: SqliteConnection): void => {
  if (spare.length < spareConnections) spare.push(connection);
  else connection.close();
};

const rowsOf = (connection: SqliteConnection, { sql, parameters }: Query): unknown[] => {
  const rows: unknown[] = [];
  // Row by row: so the thread can be ended, or run out of memory, without waiting for the last one.
  for (const row of connection.prepare(sql).iterate(...bind(parameters))) {
    if (rows.length === scanRows)
      throw new Error(`A scan found more than ${scanRows} rows; it should be a stream`);
    rows.push(row);
  }
  return rows;
};

/** The CPU time of this thread so far, in milliseconds. */
const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const scan = (query: Query): Scanned => {
  // Without the time for which the main thread has the core: it has it whenever it is busy.
  const started = cpuTime();
  const connection = takeConnection();
  try {
    const rows = connection.limited(query, () => rowsOf(connection, query));
    giveBack(connection);
    return { rows, milliseconds: cpuTime() - started };
  } catch (error) {
    // A statement whose iteration failed throws the same error when it runs again: its connection is replaced.
    connection.close();
    throw error;
  }
};

const endStream = (id: number): void => {
  const stream = streams.get(id);
  if (stream === undefined) return;
  streams.delete(id);
  stream.rows.return?.();
  giveBack(stream.connection);
};

/** Ends a stream whose iteration failed. */
const dropStream = (id: number): void => {
  streams.get(id)?.connection.close();
  streams.delete(id);
};

const nextChunk = (id: number): Chunk => {
  const rows = streams.get(id)?.rows;
  if (rows === undefined) return { text: '', done: true };
  const until = performance.now() + chunkTime;
  let text = '';
  for (let count = 1; ; count += 1) {
    const row = rows.next();
    if (row.done === true) {
      endStream(id);
      return { text, done: true };
    }
    const { json } = row.value as { json: string };
    text = text === '' ? json : `${text},${json}`;
    if (text.length >= chunkLength || (count % 16 === 0 && performance.now() >= until)) {
      return { text, done: false };
    }
  }
};

const openStream = (id: number, query: Query): Chunk => {
  const connection = takeConnection();
  try {
    const rows = connection.prepare(query.sql).iterate(...bind(query.parameters));
    streams.set(id, { connection, rows });
    return nextChunk(id);
  } catch (error) {
    // A busy database is tried again from the start.
    streams.delete(id);
    connection.close();
    throw error;
  }
};

const perform = (request: ReaderRequest): unknown => {
  switch (request.kind) {
    case 'scan':
      return scan(request.query);
    case 'open':
      return openStream(request.id, request.query);
    case 'next':
      return nextChunk(request.stream);
    case 'end':
      return endStream(request.stream);
  }
};

const answer = async (request: ReaderRequest): Promise<ReaderReply> => {
  try {
    return { id: request.id, value: await whileBusy(() => perform(request)) };
  } catch (error) {
    if (request.kind === 'next') dropStream(request.stream);
    const { message } = error instanceof Error ? error : new Error(String(error));
    return { id: request.id, error: { message, errcode: isSqliteError(error) ? error.errcode : undefined } };
  }
};

parentPort?.on('message', (request: ReaderRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});
