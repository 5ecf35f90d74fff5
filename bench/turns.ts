/**
 * CPU time per request of some servers, steady enough for a test: all serve the same cases in many short turns, one
 * after the other, so that whatever else the machine does meets all of them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Running } from './processes.ts';
import type { TurnJob, TurnResult } from './turn-load.ts';

/** True where the system counts the CPU time of a process in nanoseconds, as Linux does. */
export const countsNanoseconds = existsSync('/proc/self/schedstat');

/** Nanoseconds of CPU time of all threads of a process. */
const spentBy = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
    .reduce((sum, figures) => sum + Number.parseInt(figures, 10), 0);

/** A server, and the requests that it gets in a case. */
export interface TurnSide {
  readonly server: Running;
  readonly requests: readonly string[];
}

export interface TurnCase<Side extends string> {
  readonly name: string;
  /** The status of each response. */
  readonly expect: number;
  readonly sides: Readonly<Record<Side, TurnSide>>;
}

/** Microseconds of CPU time per request, by side. */
export type TurnCost<Side extends string> = Readonly<Record<Side, number>>;

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

interface Measured<Side extends string> {
  readonly name: Side;
  readonly side: TurnSide;
  /** Requests of one turn. */
  readonly count: number;
  /** Microseconds per request, by turn. */
  readonly costs: number[];
}

/** The part of a case that every side shares. */
type Asked = Pick<TurnCase<never>, 'name' | 'expect'>;

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
  async cost<Side extends string>(one: TurnCase<Side>): Promise<TurnCost<Side>> {
    const sides: Measured<Side>[] = [];
    for (const [name, side] of Object.entries(one.sides) as [Side, TurnSide][])
      sides.push({ name, side, costs: [], count: await this.#countOf(one, side) });
    for (let turn = 0; turn < turns; turn += 1)
      for (const { side, costs, count } of turn % 2 === 0 ? sides : sides.toReversed())
        costs.push(await this.#turn(one, side, count));
    return Object.fromEntries(sides.map(({ name, costs }) => [name, lowerMean(costs)])) as TurnCost<Side>;
  }

  /** Warms a server up for a case, unless it is; returns the requests of one turn. */
  async #countOf(one: Asked, side: TurnSide): Promise<number> {
    const known = this.#counts.get(side.server) ?? new Map<string, number>();
    this.#counts.set(side.server, known);
    const count = known.get(one.name) ?? (await this.#warm(one, side));
    known.set(one.name, count);
    return count;
  }

  async #warm(one: Asked, side: TurnSide): Promise<number> {
    let each = 0;
    for (let spent = 0; spent < warmMs * 1_000; spent += each * warmRequests)
      each = await this.#turn(one, side, warmRequests, spent === 0);
    return Math.max(connections, Math.round((turnMs * 1_000) / each));
  }

  /** Sends some requests; returns microseconds of CPU time of each. */
  async #turn(
    { name, expect }: Asked,
    { server, requests }: TurnSide,
    count: number,
    isFirst = false,
  ): Promise<number> {
    const { port } = server;
    const job: TurnJob = { port, connections, name, requests: isFirst ? requests : undefined, count, expect };
    const before = spentBy(server.pid);
    this.#load.send(job);
    const [{ unexpected }] = (await once(this.#load, 'message')) as [TurnResult];
    if (unexpected !== undefined) throw new Error(`${server.name}, ${name}: ${unexpected}`);
    return (spentBy(server.pid) - before) / 1_000 / count;
  }

  [Symbol.dispose](): void {
    this.#load.disconnect();
  }
}
