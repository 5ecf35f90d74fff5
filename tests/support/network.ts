import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** PostgreSQL's messages that a transaction, or a statement that is one by itself, is durable. */
const written = /COMMIT\0|UPDATE 1\0|DELETE 1\0/;

/** The fate of a connection once a statement was passed on: it breaks with the answer, or nothing more comes. */
export type Fault = 'cut' | 'silent';

/** A connection to the network, and the one that it goes on with. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  broken: Fault | undefined;
}

/** The network between the service and its database, which can fail in the ways that networks do. */
export class Network {
  readonly #direct: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #silent = false;
  #swallow = 0;
  #armed: { readonly text: string; readonly fault: Fault } | undefined;
  #hits = 0;

  /** Use `Network.before`. */
  constructor(direct: string) {
    this.#direct = new URL(direct);
    const { hostname, port } = this.#direct;
    this.#server = createServer((near) => this.#join(near, connect(Number(port), hostname)));
  }

  /** A network between the users of its `url` and the database of `direct`. */
  static async before(direct: string): Promise<Network> {
    const network = new Network(direct);
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  /** The database as it is reached through the network. */
  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the network is closed');
    const url = new URL(this.#direct);
    url.port = String(address.port);
    return url.href;
  }

  /** Every connection is reset, in the middle of whatever it carries. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  /** Nothing passes any more, and neither side is notified: like a pulled cable. */
  silence(): void {
    this.#silent = true;
    for (const { near, far } of this.#pairs) for (const socket of [near, far]) socket.pause();
  }

  /** New connections pass; silent ones stay silent, and neither side is notified. */
  heal(): void {
    this.#silent = false;
  }

  /** Silent connections are gone for good; new ones pass. */
  restore(): void {
    this.#silent = false;
    this.cut();
  }

  /** The database's next confirmations of a write are thrown away, each with its connection. */
  swallow(answers: number): void {
    this.#swallow = answers;
  }

  /**
   * From now on, the first statement with this text on a connection is the last that gets through on it: it arrives, its
   * answer does not.
   */
  arm(text: string, fault: Fault): void {
    this.#armed = { text, fault };
  }

  disarm(): void {
    this.#armed = undefined;
  }

  /** Connections that broke by a statement that was armed for. */
  get hits(): number {
    return this.#hits;
  }

  /** Takes no further connections, and cuts the existing ones. */
  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket, far: Socket): void {
    const pair: Pair = { near, far, broken: undefined };
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', end).on('close', end);
    if (this.#silent) for (const socket of [near, far]) socket.pause();
    near.on('data', (bytes) => this.#ask(pair, bytes));
    far.on('data', (bytes) => this.#answer(pair, bytes));
  }

  #ask(pair: Pair, bytes: string | Buffer): void {
    if (pair.broken === undefined && this.#armed !== undefined && bytes.includes(this.#armed.text)) {
      pair.broken = this.#armed.fault;
      this.#hits += 1;
    } else if (pair.broken === 'silent') return;
    pair.far.write(bytes);
  }

  #answer({ near, broken }: Pair, bytes: string | Buffer): void {
    if (broken === 'silent') return;
    if (broken === 'cut') near.resetAndDestroy();
    else if (this.#swallow > 0 && written.test(String(bytes))) {
      this.#swallow -= 1;
      near.resetAndDestroy();
    } else near.write(bytes);
  }
}
