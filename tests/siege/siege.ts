import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './ask.ts';
import { Ledger } from './ledger.ts';
import type { World } from './world.ts';
import { startWriters } from './writers.ts';

/** The result of a scenario. */
export interface Row {
  readonly scenario: string;
  readonly seconds: number;
  /** Writes that were acknowledged in a second. */
  readonly perSecond: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly lost: number;
  readonly twice: number;
  /** Milliseconds: the slowest answer to who the caller is, asked all the time. */
  readonly slowest: number;
  /** Promises that did not hold, in words. */
  readonly broken: readonly string[];
}

export interface Scenario {
  readonly name: string;
  /** Acts on the world while the writers write; reports its demands to the siege. */
  run(siege: Siege): Promise<void>;
}

/** Requests at a time of the writers; load enough to share commits, not to hide what a stranger does. */
const writers = 8;

/** Milliseconds between two questions who the caller is. */
const probeInterval = 100;

/** One scenario under way: what it may ask of the world, and where it says what did not hold. */
export class Siege {
  readonly world: World;
  readonly broken: string[] = [];
  readonly #since = performance.now();
  #acknowledged: () => number;
  #slowest = 0;
  #over = false;

  constructor(world: World, acknowledged: () => number) {
    this.world = world;
    this.#acknowledged = acknowledged;
  }

  get seconds(): number {
    return (performance.now() - this.#since) / 1000;
  }

  get slowest(): number {
    return this.#slowest;
  }

  demand(holds: boolean, promise: string): void {
    if (!holds) this.broken.push(promise.replace(/\s+/g, ' ').slice(0, 300));
  }

  /** Lets the writers write. */
  hold(milliseconds: number): Promise<void> {
    return delay(milliseconds);
  }

  /** Waits until something is so; what is not so in time is a broken promise. */
  async until(promise: string, limit: number, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + limit;
    while (!(await holds())) {
      if (performance.now() > end) return this.demand(false, `${promise} within ${limit} ms`);
      await delay(50);
    }
  }

  /** Writes are acknowledged again, or still. */
  writesGoOn(limit = 10_000): Promise<void> {
    const before = this.#acknowledged();
    return this.until('writes are acknowledged', limit, () => this.#acknowledged() > before + 20);
  }

  /** Asks all the time who the caller is, until `stop`. Only responses count: a service that is down gives none. */
  async probe(): Promise<void> {
    while (!this.#over) {
      await delay(probeInterval);
      for (const instance of this.world.instances) {
        if (instance.ended) continue;
        const begun = performance.now();
        const asked = await this.world
          .token()
          .then((token) => ask('GET', `${instance.origin}/api/v1/auth/me`, { token }))
          .catch(() => undefined);
        if (asked?.status === 200) this.#slowest = Math.max(this.#slowest, performance.now() - begun);
        if (asked?.status === 401) this.world.forgetToken();
      }
    }
  }

  stop(): void {
    this.#over = true;
  }
}

/** Runs scenarios against one world, and holds what is stored against what was acknowledged after each. */
export class Campaign {
  readonly #world: World;
  readonly #ledger = new Ledger();
  #count = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  async run({ name, run }: Scenario): Promise<Row> {
    this.#count += 1;
    const world = this.#world;
    // One that a scenario before has ended for good would fail all those after it.
    for (const instance of world.instances) if (instance.ended) await instance.start();
    const { counts, wrong } = this.#ledger;
    const before = { ...counts };
    const siege = new Siege(world, () => counts.acknowledged);
    const crew = startWriters({
      ledger: this.#ledger,
      prefix: String(this.#count),
      writers,
      origin: (writer) => world.instances[writer % world.instances.length]?.origin ?? '',
      token: () => world.token(),
    });
    const probing = siege.probe();
    try {
      await run(siege);
      await siege.writesGoOn();
    } catch (error) {
      siege.demand(false, error instanceof Error ? error.message : String(error));
    }
    const { seconds } = siege;
    siege.stop();
    await Promise.all([crew.stop(), probing]);
    const verdict = this.#ledger.compare(await world.stored());
    const acknowledged = counts.acknowledged - before.acknowledged;
    siege.demand(verdict.lost.length === 0, `acknowledged and lost: ${verdict.lost.slice(0, 5).join('; ')}`);
    siege.demand(verdict.twice.length === 0, `stored twice: ${verdict.twice.slice(0, 5).join('; ')}`);
    siege.demand(
      verdict.unasked.length === 0,
      `stored, though refused: ${verdict.unasked.slice(0, 5).join('; ')}`,
    );
    siege.demand(wrong.length === 0, `writes answered ${[...new Set(wrong.splice(0))].join(', ')}`);
    return {
      scenario: name,
      seconds,
      perSecond: acknowledged / seconds,
      acknowledged,
      refused: counts.refused - before.refused,
      unknown: counts.unknown - before.unknown,
      lost: verdict.lost.length,
      twice: verdict.twice.length,
      slowest: siege.slowest,
      broken: siege.broken,
    };
  }
}
