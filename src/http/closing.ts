import type { Socket } from 'node:net';

/** Milliseconds after which a connection that is being closed is gone, whatever its client does. */
export const lingering = 1_500;

/** Milliseconds between two looks at a connection that is being closed. */
const interval = 100;

/** Bytes that are taken and thrown away meanwhile. */
const discarded = 8 * 1_048_576;

const closing = new WeakSet<Socket>();

/**
 * Ends a connection behind what was written to it. Closed at once, while its client still sends, it would be reset, and
 * the client might lose the answer (RFC 9112, 9.6): so our half is closed, and what still comes is thrown away until
 * the client closes its own. One that does not is cut: after `lingering`, or when it has sent too much.
 */
export const closeGently = (socket: Socket): void => {
  if (closing.has(socket) || socket.destroyed) return;
  closing.add(socket);
  const begun = performance.now();
  const before = socket.bytesRead;
  socket.end();
  const timer = setInterval(() => {
    if (performance.now() - begun >= lingering - interval || socket.bytesRead - before > discarded)
      socket.destroy();
  }, interval);
  socket.once('close', () => clearInterval(timer));
};

/** Has the connection closed so behind its last answer, which says `Connection: close`. */
export const closeGentlyAfterAnswer = (socket: Socket): void => {
  // What Node calls behind such an answer. Its own destroys the socket as soon as the answer is written.
  socket.destroySoon = () => closeGently(socket);
};
