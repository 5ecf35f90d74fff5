/** Measures one case on both sides, in turn. */
import type { Case, Target } from './cases.ts';
import { type Data, firstSpare } from './data.ts';
import { type Figures, type Measured, measure, median, middle, quantile } from './measure.ts';
import type { Running } from './processes.ts';

/** Milliseconds of load before the measurement, until both servers are compiled. */
const warmupMs = 3_000;
/** More than any server here deletes in a millisecond. */
const maxDeletesPerMs = 60;
/** Minimum number of rounds for a tail: pauses of the machine are as long as the measured ones. */
const tailRounds = 11;

export interface Row {
  readonly name: string;
  readonly service: Figures;
  readonly beside?: Figures;
  readonly ratio?: Ratio;
  /** The other side's CPU per request divided by ours, including the database's server. */
  readonly cpuRatio?: number;
  readonly target?: number;
  readonly held?: boolean;
}

/** Our figure divided by the other's. `lower` and `upper`: the quartiles of the pairs. */
export interface Ratio {
  readonly of: 'requests' | 'p99';
  readonly middle: number;
  readonly lower: number;
  readonly upper: number;
}

/** A server and its requests. */
export interface Side {
  readonly server: Running;
  readonly requests: readonly string[];
}

export interface Setting {
  readonly data: Data;
  readonly database: 'sqlite' | 'postgres';
  readonly databaseCpu: () => number;
  readonly rounds: number;
  readonly milliseconds: number;
  /** Whether the targets apply to this comparison. */
  readonly targets: boolean;
}

type Load = (side: Side, milliseconds: number, perSecond?: number) => Promise<Measured>;

const loadOf = ({ connections, expect }: Case, { databaseCpu }: Setting): Load => {
  /** The first spare note of each server that has not been deleted yet. */
  const spares = new Map<Running, number>();
  return async ({ server, requests }, milliseconds, perSecond) => {
    const from = spares.get(server) ?? firstSpare;
    const pace = perSecond === undefined ? {} : { perSecond };
    const job = { connections, expect, requests, milliseconds, from, ...pace };
    const measured = await measure(server, job, databaseCpu);
    spares.set(server, from + measured.requests);
    return measured;
  };
};

/** Rounds of both sides in turn; the order alternates. */
const inTurn = async (sides: readonly Side[], rounds: number, load: (side: Side) => Promise<Measured>) => {
  const results = new Map<Side, Measured[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      results.get(side)?.push(await load(side));
  return sides.map((side) => results.get(side) ?? []);
};

const pairs = (mine: readonly Measured[], theirs: readonly Measured[], figure: (of: Measured) => number) =>
  mine.map((each, round) => figure(each) / figure(theirs[round] ?? each));

const requestRatio = (mine: readonly Measured[], theirs: readonly Measured[]): Ratio => {
  const ratios = pairs(mine, theirs, ({ perSecond }) => perSecond);
  return {
    of: 'requests',
    middle: median(ratios),
    lower: quantile(ratios, 0.25),
    upper: quantile(ratios, 0.75),
  };
};

/** Compares the lower quartiles of tails: everything above them is noise of the machine. */
const tailRatio = (mine: readonly Measured[], theirs: readonly Measured[]): Ratio => {
  const ratios = pairs(mine, theirs, ({ p99 }) => p99);
  return {
    of: 'p99',
    middle: middle(mine, 0.25).p99 / middle(theirs, 0.25).p99,
    lower: quantile(ratios, 0.25),
    upper: quantile(ratios, 0.75),
  };
};

const costOf = ({ cpu, databaseCpu }: Figures): number => cpu + databaseCpu;

const rowOf = (
  name: string,
  [mine = [], theirs = []]: readonly (readonly Measured[])[],
  ratio: Ratio,
  target: number | undefined,
): Row => {
  const share = ratio.of === 'p99' ? 0.25 : 0.5;
  const [service, beside] = [middle(mine, share), middle(theirs, share)];
  const held = ratio.of === 'p99' ? ratio.middle <= (target ?? 0) : ratio.lower >= (target ?? 0);
  const judged = target === undefined ? {} : { target, held };
  return { name, service, beside, ratio, cpuRatio: costOf(beside) / costOf(service), ...judged };
};

const alone = async (one: Case, ours: Side, { rounds, milliseconds }: Setting, load: Load): Promise<Row> => {
  const [mine = []] = await inTurn([ours], rounds, (side) => load(side, milliseconds));
  return { name: one.name, service: middle(mine) };
};

/** The rows of a case: its throughput, and its tails where they have targets. */
export const compare = async (
  one: Case,
  ours: Side,
  theirs: Side | undefined,
  setting: Setting,
): Promise<readonly Row[]> => {
  const { data, database, milliseconds, targets } = setting;
  const load = loadOf(one, setting);
  const targetOf = (of: Target | undefined): number | undefined => (targets ? of?.[database] : undefined);
  const rounds = one.tail === undefined ? setting.rounds : Math.max(setting.rounds, tailRounds);
  const deleted = Math.ceil((warmupMs + rounds * milliseconds) * maxDeletesPerMs);
  if (one.deletes === true) await data.addSpares(deleted);
  for (const side of theirs === undefined ? [ours] : [theirs, ours]) await load(side, warmupMs);
  if (theirs === undefined) return [await alone(one, ours, setting, load)];
  const results = await inTurn([ours, theirs], rounds, (side) => load(side, milliseconds));
  if (one.deletes === true) await data.removeSpares();
  const [mine = [], others = []] = results;
  const rows = [rowOf(one.name, results, requestRatio(mine, others), targetOf(one.target))];
  if (one.tail !== undefined)
    rows.push(rowOf(`${one.name}: p99`, results, tailRatio(mine, others), targetOf(one.tail)));
  if (one.steadyTail !== undefined) {
    const rate = middle(others).perSecond / 2;
    const steady = await inTurn([ours, theirs], tailRounds, (side) => load(side, milliseconds, rate));
    const name = `${one.name}: p99 at a steady ${Math.round(rate).toLocaleString('en')}/s`;
    rows.push(rowOf(name, steady, tailRatio(steady[0] ?? [], steady[1] ?? []), targetOf(one.steadyTail)));
  }
  return rows;
};
