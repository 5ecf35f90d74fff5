import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import type { Endpoint } from './endpoint.ts';
import type { HttpResponse } from './pipeline.ts';

/** Where the router takes a request: to an endpoint, or to the answer of a path or method that there is not. */
export type Destination =
  | { readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> }
  | { readonly endpoint: undefined; readonly response: HttpResponse };

/**
 * A request that only asks where it would go. It is recognised by its class, and no connection carries one: there is
 * nothing that a caller could send to be taken for it.
 */
export class Probe extends IncomingMessage {
  readonly #arrive: (destination: Destination) => void;

  constructor(method: string, url: string, arrive: (destination: Destination) => void) {
    super(new Socket());
    this.method = method;
    this.url = url;
    this.#arrive = arrive;
  }

  arrived(endpoint: Endpoint, params: Readonly<Record<string, string>>): void {
    this.#arrive({ endpoint, params });
  }

  refused(response: HttpResponse): void {
    this.#arrive({ endpoint: undefined, response });
  }
}

/** The answer that a probe never gets; Fastify writes to it by itself only while it shuts down. */
class NoResponse extends ServerResponse {
  readonly #written: () => void;

  constructor(probe: Probe, written: () => void) {
    super(probe);
    this.#written = written;
  }

  override end(): this {
    this.#written();
    return this;
  }
}

/** Asks the server's own router, so that what it answers is what a request would meet. */
export class Routes {
  #app: Pick<FastifyInstance, 'routing'> | undefined;

  /** Called once, when the server has all its routes. */
  serveFrom(app: Pick<FastifyInstance, 'routing'>): void {
    this.#app = app;
  }

  /**
   * `url` as a request line has it: path with base path, query string or none, percent-encoded.
   * @throws Problem `overloaded` while the server shuts down
   */
  find(method: string, url: string): Promise<Destination> {
    const app = this.#app;
    if (app === undefined) throw new Error('the server has no routes yet');
    return new Promise((resolve, reject) => {
      const probe = new Probe(method, url, resolve);
      app.routing(probe, new NoResponse(probe, () => reject(new Problem('overloaded'))));
    });
  }
}
