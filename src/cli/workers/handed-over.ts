import type { Worker } from 'node:cluster';

/** A connection on its way to a worker, with the number by which the worker confirms its receipt. */
interface SentConnection {
  readonly seq: number;
  readonly handle: { close(): void };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The message of `node:cluster` that hands a connection to a worker. */
const connectionIn = (message: unknown, handle: unknown): SentConnection | undefined =>
  isObject(message) &&
  'act' in message &&
  message.act === 'newconn' &&
  'seq' in message &&
  typeof message.seq === 'number' &&
  isObject(handle) &&
  'close' in handle &&
  typeof handle.close === 'function'
    ? { seq: message.seq, handle: { close: handle.close.bind(handle) } }
    : undefined;

/** Milliseconds between two checks whether all messages of an ended worker were read. */
const checkIntervalMs = 10;

/**
 * Gives a connection that an ended worker had not confirmed to another one. Node would keep it open, and its client
 * would wait for ever. A worker confirms before it reads from a connection, so no bytes are lost. Node hands over the
 * next connection only after the confirmation, so there is at most one.
 * @param others whether any other worker takes connections; without one it is closed
 */
export const returnUnconfirmed = ({ process: child }: Worker, others: () => boolean): void => {
  let open: SentConnection | undefined;
  const send = child.send.bind(child);
  child.send = (message: Parameters<typeof send>[0], ...rest: unknown[]): boolean => {
    open = connectionIn(message, rest[0]) ?? open;
    return Reflect.apply(send, child, [message, ...rest]);
  };
  child.on('internalMessage', (message: unknown) => {
    if (isObject(message) && 'ack' in message && message.ack === open?.seq) open = undefined;
  });
  const returnConnection = (): void => {
    if (child.connected) {
      setTimeout(returnConnection, checkIntervalMs);
      return;
    }
    if (open === undefined) return;
    // Node has queued this until the worker confirms the connection, and would hand it the next one as well.
    child.emit('disconnect');
    // The confirmation of a worker that no longer listens, after which Node chooses another one.
    if (others()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: open.seq, accepted: false });
    else open.handle.close();
  };
  child.once('exit', returnConnection);
};
