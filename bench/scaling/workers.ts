/**
 * Measures a service on one SQLite file with one, two and four workers. Requests that read: CPU time of all its processes
 * for a request, with the service on one core and the load on another one; the capacity of as many cores as workers
 * follows from that. Writes wait for each other, whatever the cores: for them it measures requests a second, with the
 * workers on all cores and the load beside them.
 *     npm run bench:workers -- [--workers=1,2,4] [--rounds=5] [--ms=500] [--connections=32] [--only=create]
 */
import { parseArgs } from 'node:util';
import { type Data, sqliteData } from '../data.ts';
import { type Measured, measure, middle } from '../measure.ts';
import { cpuOfTree } from '../proc.ts';
import { type Place, type Running, startService } from '../processes.ts';
import { type Kind, kindsOf } from './kinds.ts';

const { values: options } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2,4' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '500' },
    only: { type: 'string', default: '' },
    connections: { type: 'string', default: '32' },
  },
});
const counts = options.workers.split(',').map(Number);
const connections = Number(options.connections);
const notes = 10_000;

/** A service with some workers. */
interface Service {
  readonly workers: number;
  readonly server: Running;
  readonly data: Data;
}

/** Where a service runs, and how much load it gets. */
interface Method {
  readonly name: string;
  readonly place: Place;
  readonly connectionsFor: (workers: number) => number;
  /** Milliseconds: where workers share a core, each needs as much of it as the only one has. */
  readonly timeFor: (workers: number) => number;
}

const byCpu: Method = {
  name: `on one core, ${connections} connections for each worker`,
  place: 'first core in turns',
  connectionsFor: (workers) => connections * workers,
  timeFor: (workers) => Number(options.ms) * workers,
};

const byRate: Method = {
  name: `on all cores, ${connections} connections`,
  place: 'all cores',
  connectionsFor: () => connections,
  timeFor: () => Number(options.ms),
};

const measureService = ({ server, workers }: Service, kind: Kind, method: Method): Promise<Measured> => {
  const { requests, expect } = kind;
  const load = {
    requests,
    expect,
    connections: method.connectionsFor(workers),
    milliseconds: method.timeFor(workers),
  };
  const all = { ...server, cpu: () => cpuOfTree(server.pid) };
  return measure(all, load, undefined, method.place === 'all cores' ? 'all cores' : 'second core');
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const line = (cells: readonly (string | number)[]): void => say(`| ${cells.join(' | ')} |`);
const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** The services take turns, so that what else the machine does concerns all of them. */
const measureKind = async (services: readonly Service[], kind: Kind, method: Method): Promise<void> => {
  const rounds = services.map((): Measured[] => []);
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const [index, service] of services.entries())
      rounds[index]?.push(await measureService(service, kind, method));
  const middles = rounds.map((results) => middle(results));
  const [first] = middles;
  for (const [index, { perSecond, p99, cpu }] of middles.entries()) {
    const workers = counts[index] ?? 1;
    const capacity = ((first?.cpu ?? 0) / cpu) * (workers / (counts[0] ?? 1));
    const beside = method === byCpu ? capacity : perSecond / (first?.perSecond ?? 1);
    line([kind.name, workers, whole(perSecond), p99.toFixed(1), cpu.toFixed(0), beside.toFixed(2)]);
  }
};

/** Requests of each kind before the measurement, so that V8 has compiled what each worker runs. */
const warmUps = 2;

const measureAll = async (kinds: readonly Kind[], method: Method): Promise<void> => {
  if (kinds.length === 0) return;
  const services: Service[] = [];
  try {
    for (const workers of counts) {
      const data = await sqliteData({ notes });
      const server = await startService(data, { WORKERS: String(workers) }, undefined, method.place);
      services.push({ workers, data, server });
    }
    for (const service of services)
      for (const kind of kinds)
        for (let time = 0; time < warmUps; time += 1) await measureService(service, kind, method);
    say(`${method.name}; medians of ${options.rounds} rounds of ${options.ms} ms\n`);
    line(['request', 'workers', 'req/s', 'p99 ms', 'CPU µs', method === byCpu ? 'capacity' : 'beside one']);
    line(Array.from({ length: 6 }, () => '---'));
    for (const kind of kinds) await measureKind(services, kind, method);
    say('');
  } finally {
    for (const { server, data } of services) {
      await server.stop();
      await data.remove();
    }
  }
};

const kinds = kindsOf(notes).filter(({ name }) => name.includes(options.only));
await measureAll(
  kinds.filter(({ expect, name }) => expect === 200 && name !== 'update'),
  byCpu,
);
await measureAll(
  kinds.filter(({ name }) => name === 'create' || name === 'update'),
  byRate,
);
