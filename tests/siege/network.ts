import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** How PostgreSQL says that a transaction, or a statement that is one by itself, is durable. */
const written = /COMMIT\0|UPDATE 1\0|DELETE 1\0/;

/** The network between the service and its database, which can fail in the ways that networks do. */
export class Network {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #silent = false;
  #swallow = 0;

  constructor(host: string, port: number) {
    this.#server = createServer((near) => this.#join(near, connect(port, host)));
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
    return address.port;
  }

  /** Every connection is reset, in the middle of whatever it carries. */
  cut(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  /** Nothing passes any more, and nobody is told: what a pulled cable looks like. */
  silence(): void {
    this.#silent = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** What was silent is gone for good; new connections pass. */
  restore(): void {
    this.#silent = false;
    this.cut();
  }

  /** The database's next answers that something is written are thrown away, each with its connection. */
  swallow(answers: number): void {
    this.#swallow = answers;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.setNoDelay(true).on('error', end).on('close', end);
    if (this.#silent) for (const socket of pair) socket.pause();
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      if (this.#swallow > 0 && written.test(bytes.toString('latin1'))) {
        this.#swallow -= 1;
        near.resetAndDestroy();
      } else near.write(bytes);
    });
  }
}
