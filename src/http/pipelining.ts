import type { Socket } from 'node:net';

/**
 * Requests that a connection may have sent without an answer. HTTP/1.1 lets a client send on and on (RFC 9112, 9.3.2),
 * and Node takes in all of it: one connection that never stops would fill the memory while the database is asked.
 * Browsers send one at a time, and tools that pipeline a few dozen.
 */
const most = 128;

/** What is known of a connection as long as it lives. */
export interface Connection {
  unanswered: number;
}

/** Counts the requests of each connection that wait for their answers. */
export class Connections {
  readonly #known = new WeakMap<Socket, Connection>();

  /** The connection of a request that has just come; undefined where it was one too many, and the connection is cut. */
  arrived(socket: Socket): Connection | undefined {
    const known = this.#known.get(socket);
    const connection = known ?? { unanswered: 0 };
    if (known === undefined) this.#known.set(socket, connection);
    connection.unanswered += 1;
    if (connection.unanswered <= most) return connection;
    socket.destroy();
    return undefined;
  }
}
