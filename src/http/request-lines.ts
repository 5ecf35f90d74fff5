import type { Logger } from 'pino';
import type { Request } from './request.ts';

/** What the log says of a request: no address with its query, no header, no body, so nothing secret can be in it. */
const lineOf = (request: Request, status: number) => {
  const { principal } = request;
  return {
    requestId: request.requestId,
    method: request.method,
    route: request.route ?? null,
    status,
    milliseconds: Math.round((performance.now() - request.arrived) * 1000) / 1000,
    auth: principal.kind === 'nobody' ? null : principal.method,
    principal:
      principal.kind === 'user' ? principal.id : principal.kind === 'application' ? principal.appId : null,
  };
};

/**
 * One line a request. The lines of one turn of the event loop are put into words together: between two requests the
 * code that does it would be cold each time, and cost several times as much.
 */
export class RequestLines {
  readonly #logger: Logger;
  #lines: ReturnType<typeof lineOf>[] = [];
  readonly #flush = (): void => {
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) this.#logger.info(line, 'request');
  };

  constructor(logger: Logger) {
    this.#logger = logger;
    process.on('exit', this.#flush);
  }

  close(): void {
    this.#flush();
    process.off('exit', this.#flush);
  }

  /** Called when the answer is out. */
  add(request: Request, status: number): void {
    if (this.#lines.length === 0) setImmediate(this.#flush);
    this.#lines.push(lineOf(request, status));
  }
}
