import type { Io } from '../io.ts';

/** Milliseconds between two updates: a terminal rewrites one line, otherwise each is a line. */
const terminalInterval = 100;
const lineInterval = 5_000;

const grouped = new Intl.NumberFormat('en-US');

/** `12,400` */
export const countText = (count: number): string => grouped.format(count);

/** `1 row`, `12,400 rows` */
export const rowsText = (count: number): string => `${countText(count)} ${count === 1 ? 'row' : 'rows'}`;

/** `12.4 MB`, `1,240 MB` */
export const bytesText = (bytes: number): string => {
  const megabytes = bytes / 1_000_000;
  return `${megabytes < 100 ? megabytes.toFixed(1) : countText(Math.round(megabytes))} MB`;
};

/** `in 8.4 s, 11,900 rows/s` */
export const speedText = (rows: number, seconds: number): string =>
  `in ${seconds.toFixed(1)} s, ${countText(Math.round(rows / Math.max(seconds, 0.001)))} rows/s`;

/** Shows the progress of a command on stderr. */
export class Progress {
  readonly #io: Pick<Io, 'show' | 'terminal'>;
  readonly #began = performance.now();
  #shownAt: number;
  #line = false;

  constructor(io: Pick<Io, 'show' | 'terminal'>) {
    this.#io = io;
    this.#shownAt = this.#began;
  }

  /** Seconds since the beginning of the work. */
  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** Shows the progress, unless it was shown within the interval. */
  state(text: () => string): void {
    const now = performance.now();
    const { terminal } = this.#io;
    if (now - this.#shownAt < (terminal ? terminalInterval : lineInterval)) return;
    this.#shownAt = now;
    this.#line = terminal;
    this.#io.show(terminal ? `\r${text()}\x1b[K` : `${text()}\n`);
  }

  /** Clears the rewritten line, so that others can be written. */
  clear(): void {
    if (this.#line) this.#io.show('\r\x1b[K');
    this.#line = false;
  }
}
