import type { Clock } from '../../kernel/clock.ts';

/** Milliseconds of a window, in which events are counted. */
const window = 60_000;
/** Events of one source that are recorded one by one in a window. */
export const perSource = 60;
/** Events of all strangers in a window: with a network for each guess they would fill the disk otherwise. */
export const ofStrangers = 1_000;
/** Sources that are distinguished in a window. */
const mostSources = 10_000;

/** Events of one source in a window beyond those that were recorded one by one. */
export interface Counted<Origin> {
  /** Undefined for the strangers who are not distinguished. */
  readonly origin: Origin | undefined;
  /** Beginning of the window, milliseconds since the epoch. */
  readonly since: number;
  readonly actions: Readonly<Record<string, number>>;
}

interface Tally<Origin> {
  readonly origin: Origin | undefined;
  recorded: number;
  readonly more: Map<string, number>;
}

/** Decides whose events are still recorded one by one; of bounded size, whatever comes. */
export class EventLimit<Origin> {
  readonly #clock: Clock;
  #since: number;
  #sources = new Map<string, Tally<Origin>>();
  #crowd: Tally<Origin> = { origin: undefined, recorded: 0, more: new Map() };
  #ended: Counted<Origin>[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock();
  }

  /** Whether the event is to be recorded; it is counted otherwise. `stranger`: no credential says who it is. */
  admits(source: string, stranger: boolean, action: string, origin: Origin): boolean {
    this.#turn();
    const known = this.#sources.get(source);
    const full = stranger && this.#crowd.recorded >= ofStrangers;
    if (known === undefined && (full || this.#sources.size >= mostSources))
      return this.#count(this.#crowd, action);
    const tally = known ?? { origin, recorded: 0, more: new Map() };
    if (known === undefined) this.#sources.set(source, tally);
    if (tally.recorded >= perSource || full) return this.#count(tally, action);
    tally.recorded += 1;
    if (stranger) this.#crowd.recorded += 1;
    return true;
  }

  /** Returns the events that were only counted in windows that are over; each is returned once. */
  ended(): readonly Counted<Origin>[] {
    this.#turn();
    return this.#ended.splice(0);
  }

  /** As `ended`, with the present window: before the process ends. */
  close(): readonly Counted<Origin>[] {
    this.#close();
    return this.#ended.splice(0);
  }

  #count({ more }: Tally<Origin>, action: string): false {
    more.set(action, (more.get(action) ?? 0) + 1);
    return false;
  }

  #turn(): void {
    // A clock that was set back ends the window as well: it would be a long one otherwise.
    const passed = this.#clock() - this.#since;
    if (passed < 0 || passed >= window) this.#close();
  }

  #close(): void {
    for (const { origin, more } of [...this.#sources.values(), this.#crowd])
      if (more.size > 0) this.#ended.push({ origin, since: this.#since, actions: Object.fromEntries(more) });
    this.#sources = new Map();
    this.#crowd = { origin: undefined, recorded: 0, more: new Map() };
    this.#since = this.#clock();
  }
}
