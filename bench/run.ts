/**
 * Measures the service beside the bare server, in turn, in one run on the same data, and prints one table.
 *
 *     npm run bench -- [--json] [--only=detail] [--database=sqlite|postgres] [--rounds=5] [--ms=1500]
 *
 * With `--beside=FOLDER`, a built checkout of another version, both versions of the service stand beside each other
 * instead, case by case, on two copies of the data.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, casesOf } from './cases.ts';
import { firstSpare, postgresData, sqliteData } from './data.ts';
import { type Figures, type Measured, measure, median, middle } from './measure.ts';
import { measureProcess } from './process.ts';
import { pinned, type Running, startBare, startOther, startService } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '1500' },
    beside: { type: 'string', default: '' },
  },
});
const rounds = Number(options.rounds);
const milliseconds = Number(options.ms);
/** Milliseconds of load before anything counts: both servers are compiled by then. */
const warmup = 3_000;
const notes = 10_000;
/** More than any server here deletes in a millisecond. */
const mostDeletes = 60;

interface Row {
  readonly name: string;
  readonly service: Figures;
  readonly beside: Figures | undefined;
  /** Requests per second, ours to the other's: the median of the pairs. */
  readonly ratio: number | undefined;
  /** The other's CPU per request to ours. */
  readonly cpuRatio: number | undefined;
  readonly target: number | undefined;
  readonly held: boolean | undefined;
}

interface Servers {
  readonly bare: Running;
  readonly service: Running;
  readonly verbose: Running;
}

const otherSide = ({ bare, service, verbose }: Servers, one: Case) => {
  if (options.beside !== '') return { ours: service, theirs: bare, requests: one.requests };
  if (one.beside === 'nothing') return undefined;
  if (one.beside === 'other log level') return { ours: verbose, theirs: service, requests: one.requests };
  if (one.beside === undefined) return { ours: service, theirs: bare, requests: one.requests };
  return { ours: service, theirs: service, requests: one.beside };
};

const compare = async (servers: Servers, one: Case): Promise<Row> => {
  const other = otherSide(servers, one);
  const { connections, expect } = one;
  /** Where each server's spare notes begin that it has not deleted yet. */
  const spares = new Map<Running, number>();
  const load = async (server: Running, requests: readonly string[], time: number): Promise<Measured> => {
    const from = spares.get(server) ?? firstSpare;
    const measured = await measure(server, { connections, expect, requests, milliseconds: time, from });
    spares.set(server, from + measured.requests);
    return measured;
  };
  if (one.deletes === true) await data.addSpares(Math.ceil((warmup + rounds * milliseconds) * mostDeletes));
  const ours = other?.ours ?? servers.service;
  if (other !== undefined) await load(other.theirs, other.requests, warmup);
  await load(ours, one.requests, warmup);
  const [mine, theirs]: Measured[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    if (other !== undefined) theirs?.push(await load(other.theirs, other.requests, milliseconds));
    mine?.push(await load(ours, one.requests, milliseconds));
  }
  if (one.deletes === true) await data.removeSpares();
  const service = middle(mine ?? []);
  const beside = other === undefined ? undefined : middle(theirs ?? []);
  const pairs = (mine ?? []).map((each, round) => each.perSecond / (theirs?.[round]?.perSecond ?? 1));
  const ratio = beside === undefined ? undefined : median(pairs);
  const { name } = one;
  // They are meant for SQLite.
  const target = options.database === 'sqlite' && options.beside === '' ? one.target : undefined;
  const held = target === undefined || ratio === undefined ? undefined : ratio >= target;
  return { name, service, beside, ratio, cpuRatio: beside && beside.cpu / service.cpu, target, held };
};

const show = (value: number | undefined, digits = 0): string =>
  value?.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '–';

const line = ({ name, service, beside, ratio, cpuRatio, target, held }: Row): string => {
  const cells = [
    name,
    show(service.perSecond),
    show(beside?.perSecond),
    `${show(service.p50, 2)} / ${show(service.p99, 2)}`,
    show(service.cpu),
    show(beside?.cpu),
    show(ratio, 2),
    show(cpuRatio, 2),
    target === undefined ? '' : String(target),
    held === undefined ? '' : held ? 'held' : 'NOT HELD',
  ];
  return `| ${cells.join(' | ')} |`;
};

const print = (text: string): void => {
  if (!options.json) process.stdout.write(`${text}\n`);
};

const data = options.database === 'postgres' ? await postgresData({ notes }) : await sqliteData({ notes });
const servers: Servers = {
  bare: options.beside === '' ? await startBare(data) : await startOther(data, resolve(options.beside)),
  service: await startService(data),
  verbose: await startService(data, { LOG_LEVEL: 'info' }),
};
const rows: Row[] = [];
try {
  const { service } = servers;
  print(`${options.database}, ${notes} notes; ${pinned ? 'server and load on a core each' : 'not pinned'};`);
  print(`medians of ${rounds} rounds of ${milliseconds} ms\n`);
  print('| case | req/s | beside | p50 / p99 ms | CPU µs | beside | ratio | CPU ratio | target | |');
  print('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const one of casesOf(data, notes)) {
    if (!one.name.includes(options.only)) continue;
    const row = await compare(servers, one);
    rows.push(row);
    print(line(row));
  }
  print(`\nresident memory of the service at the end: ${show(service.memory() / 1e6)} MB`);
  const figures = options.only === '' ? await measureProcess(data) : undefined;
  if (figures !== undefined) {
    const { firstStart, start, idle, afterwards, requests } = figures;
    print(`first start to the first answer: ${show(firstStart)} ms, later ones: ${show(start)} ms`);
    print(
      `resident when idle: ${show(idle / 1e6)} MB, after ${show(requests)} requests: ${show(afterwards / 1e6)} MB`,
    );
  }
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ database: options.database, pinned, rounds, milliseconds, process: figures, rows })}\n`,
    );
} finally {
  await Promise.all(Object.values(servers).map((server: Running) => server.stop()));
  await data.remove();
}
