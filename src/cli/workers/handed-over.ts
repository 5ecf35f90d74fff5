import type { Worker } from 'node:cluster';

/** A connection on its way to a worker, and the number under which the worker confirms that it has it. */
interface HandedOver {
  readonly seq: number;
  readonly handle: { close(): void };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The message of `node:cluster` to a worker with a connection. */
const handedOver = (message: unknown, handle: unknown): HandedOver | undefined =>
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

/** Milliseconds until it is looked again whether everything was read that a worker which has ended had said. */
const again = 10;

/**
 * Gives the connection to another worker that one has been handed and has not answered for when it ended. Node keeps
 * it open instead, and its client would wait for ever. A worker confirms before it reads from a connection, so nothing
 * of it is lost. Node hands over the next connection after that answer only: there is at most one.
 * @param others whether any other worker takes connections; without one it is closed
 */
export const giveBackUnanswered = ({ process: child }: Worker, others: () => boolean): void => {
  let open: HandedOver | undefined;
  const send = child.send.bind(child);
  child.send = (message: Parameters<typeof send>[0], ...rest: unknown[]): boolean => {
    open = handedOver(message, rest[0]) ?? open;
    return Reflect.apply(send, child, [message, ...rest]);
  };
  child.on('internalMessage', (message: unknown) => {
    if (isObject(message) && 'ack' in message && message.ack === open?.seq) open = undefined;
  });
  const giveBack = (): void => {
    if (child.connected) {
      setTimeout(giveBack, again);
      return;
    }
    if (open === undefined) return;
    // Node has put this off until the worker says that it has the connection: it would get the next one as well.
    child.emit('disconnect');
    // The answer of a worker that no longer listens, at which Node chooses another one.
    if (others()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: open.seq, accepted: false });
    else open.handle.close();
  };
  child.once('exit', giveBack);
};
