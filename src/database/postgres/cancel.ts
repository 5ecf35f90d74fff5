import { connect } from 'node:net';
import type { PoolClient } from 'pg';

/** Number of a CancelRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const cancelRequest = 80_877_102;

/** Milliseconds that the server gets to take it. */
const patience = 1_000;

/** What the server told the connection at its start: who may cancel its statements. The driver's types leave it out. */
type Cancellable = PoolClient & { readonly processID?: unknown; readonly secretKey?: unknown };

/**
 * Asks the server to end the statement that a connection runs, by a connection of its own, as the protocol has it. The
 * statement then fails with SQLSTATE 57014. Nothing is told of a request that failed: the caller cannot wait for it.
 */
export const cancelStatement = (client: PoolClient): void => {
  const { processID, secretKey, host, port } = client as Cancellable;
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(cancelRequest, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(patience, () => socket.destroy());
  socket.on('error', () => {});
  socket.end(message);
};
