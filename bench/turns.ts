/**
 * CPU time per request of two servers, steady enough for a test: both serve the same cases in many short turns, one
 * after the other, so that whatever else the machine does meets both.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Running } from './processes.ts';
import type { TurnJob, TurnResult } from './turn-load.ts';

/** True where the system counts the CPU time of a process in nanoseconds, as Linux does. */
export const countsNanoseconds = existsSync('/proc/self/schedstat');

/** Nanoseconds of all threads of a process. */
interface Spent {
  readonly cpu: number;
  /** Waiting for a core that others had. */
  readonly waiting: number;
}

const spentBy = (pid: number): Spent => {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ').map(Number),
  );
  const sumOf = (field: number): number => threads.reduce((sum, fields) => sum + (fields[field] ?? 0), 0);
  return { cpu: sumOf(0), waiting: sumOf(1) };
};

/** A server, and the requests that it gets in a case. */
export interface TurnSide {
  readonly server: Running;
  readonly requests: readonly string[];
}

export interface TurnCase {
  readonly name: string;
  /** The status of each response. */
  readonly expect: number;
  readonly ours: TurnSide;
  readonly bare: TurnSide;
}

/** Microseconds of CPU time per request. */
export interface TurnCost {
  readonly ours: number;
  readonly bare: number;
  /** Time for which the servers waited for a core, by their CPU time: how busy others kept the machine. */
  readonly waiting: number;
}

const connections = 32;
const warmRequests = 500;
/** Milliseconds of a server's CPU until V8 has compiled what a case runs, and in one turn. */
const warmMs = 1_000;
const turnMs = 12;
/** Turns of each server in one measurement. */
const turns = 40;

/** The mean of the lower half: a disturbance adds to a turn, and never takes anything off. */
const lowerMean = (values: readonly number[]): number => {
  const lower = values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 2));
  return lower.reduce((sum, value) => sum + value, 0) / lower.length;
};

const waitingShare = (before: readonly Spent[], after: readonly Spent[]): number => {
  const sum = (all: readonly Spent[], of: keyof Spent): number =>
    all.reduce((total, one) => total + one[of], 0);
  return (sum(after, 'waiting') - sum(before, 'waiting')) / (sum(after, 'cpu') - sum(before, 'cpu'));
};

/** Measures cases; has a load generator of its own until it is disposed of. */
export class Turns implements Disposable {
  readonly #load: ChildProcess;
  /** Requests of one turn, by server and case, once the server is warm. */
  readonly #counts = new Map<Running, Map<string, number>>();

  constructor() {
    const program = new URL('./turn-load.ts', import.meta.url);
    this.#load = fork(program, { execArgv: ['--max-semi-space-size=64'] });
  }

  /** Measures a case once. @throws Error for an unexpected response */
  async cost(one: TurnCase): Promise<TurnCost> {
    const sides = [
      { side: one.ours, costs: [] as number[], count: await this.#countOf(one, one.ours) },
      { side: one.bare, costs: [] as number[], count: await this.#countOf(one, one.bare) },
    ];
    const spent = (): readonly Spent[] => sides.map(({ side }) => spentBy(side.server.pid));
    const before = spent();
    for (let turn = 0; turn < turns; turn += 1)
      for (const { side, costs, count } of turn % 2 === 0 ? sides : sides.toReversed())
        costs.push(await this.#turn(one, side, count));
    const [ours = 0, bare = 0] = sides.map(({ costs }) => lowerMean(costs));
    return { ours, bare, waiting: waitingShare(before, spent()) };
  }

  /** Warms a server up for a case, unless it is; returns the requests of one turn. */
  async #countOf(one: TurnCase, side: TurnSide): Promise<number> {
    const known = this.#counts.get(side.server) ?? new Map<string, number>();
    this.#counts.set(side.server, known);
    const count = known.get(one.name) ?? (await this.#warm(one, side));
    known.set(one.name, count);
    return count;
  }

  async #warm(one: TurnCase, side: TurnSide): Promise<number> {
    let each = 0;
    for (let spent = 0; spent < warmMs * 1_000; spent += each * warmRequests)
      each = await this.#turn(one, side, warmRequests, spent === 0);
    return Math.max(connections, Math.round((turnMs * 1_000) / each));
  }

  /** Sends some requests; returns microseconds of CPU time of each. */
  async #turn(
    { name, expect }: TurnCase,
    { server, requests }: TurnSide,
    count: number,
    isFirst = false,
  ): Promise<number> {
    const { port } = server;
    const job: TurnJob = { port, connections, name, requests: isFirst ? requests : undefined, count, expect };
    const before = spentBy(server.pid).cpu;
    this.#load.send(job);
    const [{ unexpected }] = (await once(this.#load, 'message')) as [TurnResult];
    if (unexpected !== undefined) throw new Error(`${server.name}, ${name}: ${unexpected}`);
    return (spentBy(server.pid).cpu - before) / 1_000 / count;
  }

  [Symbol.dispose](): void {
    this.#load.disconnect();
  }
}
