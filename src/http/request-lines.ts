import type { Logger } from 'pino';
import type { Request } from './request.ts';

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

/** What the log says of a request: no address with its query, no header, no body, so nothing secret can be in it. */
const lineOf = (request: Request, status: number) => {
  const { principal, traceparent } = request;
  const now = performance.now();
  return {
    requestId: request.requestId,
    method: request.method,
    route: request.route ?? null,
    status,
    milliseconds: rounded(now - request.arrived),
    databaseMilliseconds: rounded(request.database.until(now)),
    auth: principal.kind === 'nobody' ? null : principal.method,
    principal:
      principal.kind === 'user' ? principal.id : principal.kind === 'application' ? principal.appId : null,
    ...(traceparent === undefined ? undefined : { traceparent }),
  };
};

/**
 * One line a request. The lines of one turn of the event loop are put into words together: between two requests the
 * code that does it would be cold each time, and cost several times as much.
 */
export class RequestLines {
  readonly #logger: Logger;
  #enabled: boolean;
  #lines: ReturnType<typeof lineOf>[] = [];
  readonly #look = (): void => {
    this.#enabled = this.#logger.isLevelEnabled('info');
  };
  readonly #flush = (): void => {
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) this.#logger.info(line, 'request');
  };

  /** The level of the logger may change at any time. */
  constructor(logger: Logger) {
    this.#logger = logger;
    this.#enabled = logger.isLevelEnabled('info');
    logger.on('level-change', this.#look);
    process.on('exit', this.#flush);
  }

  close(): void {
    this.#flush();
    process.off('exit', this.#flush);
    this.#logger.off('level-change', this.#look);
  }

  /** Called when the answer is out. */
  add(request: Request, status: number): void {
    if (!this.#enabled) return;
    if (this.#lines.length === 0) setImmediate(this.#flush);
    this.#lines.push(lineOf(request, status));
  }
}
