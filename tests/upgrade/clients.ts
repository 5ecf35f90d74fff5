import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly data: unknown;
}

export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Connection errors after which a client may ask another instance. */
const closings = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);

/**
 * A balancer in front of the instances: takes them in turn, and has a request whose connection was closed go to
 * another. Writers repeat a request under its Idempotency-Key.
 */
export class Balancer {
  readonly #ports: number[] = [];
  #turn = 0;
  #agent = new Agent({ keepAlive: true, maxSockets: 20 });
  /** Failures: statuses of 500 and above, and errors of connections beyond their being closed. */
  readonly faults: string[] = [];

  add(port: number): void {
    this.#ports.push(port);
  }

  remove(port: number): void {
    this.#ports.splice(this.#ports.indexOf(port), 1);
  }

  /** An instance that takes requests; waits where there is none. */
  async port(): Promise<number> {
    for (;;) {
      this.#turn += 1;
      const port = this.#ports[this.#turn % this.#ports.length];
      if (port !== undefined) return port;
      await delay(20);
    }
  }

  async ask(method: string, path: string, asked: Ask = {}): Promise<Answered> {
    for (;;) {
      const answered = await this.#once(await this.port(), method, path, asked);
      if (typeof answered === 'object') {
        if (answered.status >= 500) this.faults.push(`${method} ${path}: ${answered.status}`);
        return answered;
      }
      if (!closings.has(answered)) this.faults.push(`${method} ${path}: ${answered}`);
      await delay(20);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once(port: number, method: string, path: string, { headers = {}, body }: Ask): Promise<Answered | string> {
    return new Promise((resolve) => {
      const sent = request(
        {
          ...{ port, method, path, host: '127.0.0.1', agent: this.#agent },
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        },
        (response) => {
          let text = '';
          response.on('data', (data) => {
            text += data;
          });
          response.on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              data: text === '' ? undefined : JSON.parse(text).data,
            }),
          );
        },
      );
      sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
      sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    });
  }
}
