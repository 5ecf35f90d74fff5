import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** The outcome of one phase of a rolling restart. */
export interface Phase {
  readonly name: string;
  readonly requests: number;
  /** Responses of another status than was due, and connections that failed, with how often. */
  readonly failed: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly due: number;
}

interface Reply {
  readonly status: number | string;
  readonly json: { readonly data?: { readonly id?: number } };
  readonly etag: string | undefined;
}

/** Clients that keep their connections and ask without a pause, until they are stopped. */
export class Load {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });
  readonly #port: number;
  readonly #token: string;
  readonly #clients: Promise<void>[] = [];
  #times: number[] = [];
  #failed = new Map<string, number>();
  #over = false;
  /** Ids that were answered to a creation, and the number of the last acknowledged change of each. */
  readonly acknowledged = new Map<number, number>();

  constructor(port: number, token: string) {
    this.#port = port;
    this.#token = token;
  }

  begin(clients: number): void {
    for (let client = 0; client < clients; client += 1) this.#clients.push(this.#client(client));
  }

  /** Runs a step; returns the outcome of the requests meanwhile. */
  async during(name: string, step: () => Promise<unknown>): Promise<Phase> {
    this.#times = [];
    this.#failed = new Map();
    await step();
    const times = this.#times.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
    const failed = Object.fromEntries(this.#failed);
    return {
      ...{ name, requests: times.length, failed },
      ...{ p50: at(0.5), p99: at(0.99), longest: at(0.999999) },
    };
  }

  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #client(client: number): Promise<void> {
    for (let round = 0; !this.#over; round += 1) {
      const name = `client ${client}, round ${round}`;
      const made = await this.#call({
        ...{ method: 'POST', path: '/api/v1/notes', body: { note: { title: name } }, due: 201 },
      });
      const id = made.json.data?.id;
      if (id !== undefined) this.acknowledged.set(id, 0);
      await this.#call({ method: 'GET', path: '/api/v1/notes?per_page=20&sort=-id', due: 200 });
      if (id === undefined) continue;
      await this.#call({ method: 'GET', path: `/api/v1/notes/${id}`, due: 200 });
      const body = { note: { title: name, body: '1' } };
      const changed = await this.#call({ method: 'PATCH', path: `/api/v1/notes/${id}`, body, due: 200 });
      if (changed.status === 200) this.acknowledged.set(id, 1);
      await delay(5);
    }
  }

  async #call(call: Call): Promise<Reply> {
    const start = performance.now();
    const reply = await this.#send(call);
    this.#times.push(performance.now() - start);
    if (reply.status !== call.due) {
      const what = `${call.method} ${reply.status}`;
      this.#failed.set(what, (this.#failed.get(what) ?? 0) + 1);
    }
    return reply;
  }

  #send({ method, path, body, headers = {} }: Call): Promise<Reply> {
    return new Promise((resolve) => {
      const failed = ({ code = 'error' }: NodeJS.ErrnoException): void =>
        resolve({ status: code, json: {}, etag: undefined });
      const sent = request(
        {
          ...{ port: this.#port, host: '127.0.0.1', servername: 'api.example.com', agent: this.#agent },
          ...{ method, path },
          headers: {
            host: 'api.example.com',
            authorization: `Bearer ${this.#token}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('error', failed);
          response.on('end', () => {
            const status = response.statusCode ?? 0;
            const isJson = String(response.headers['content-type']).includes('json');
            resolve({ status, json: isJson ? JSON.parse(text) : {}, etag: response.headers.etag });
          });
        },
      );
      sent.on('error', failed);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
