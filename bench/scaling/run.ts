/**
 * Measures the throughput of one, two and three instances on one PostgreSQL, each side with a CPU budget, and compares it
 * with the model of `model.ts`, whose costs come from the run with one instance. Needs root, for the budgets.
 *     npm run bench:scaling -- [--ms=4000] [--rounds=3] [--instance=0.25] [--server=0.3]
 * Without measuring, it applies the costs of the last table to other hardware:
 *     npm run bench:scaling -- --service=45 --database=30 [--instances=8] [--instance=1] [--server=8]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Data, postgresData } from '../data.ts';
import type { Result } from '../load.ts';
import { median, putLoad } from '../measure.ts';
import { childrenOf, parentOf } from '../proc.ts';
import { type Running, startService } from '../processes.ts';
import { type Budget, budgetOf } from './budget.ts';
import { type Kind, kindsOf } from './kinds.ts';
import { type Cost, capacity, mixture, saturation } from './model.ts';

const { values: options } = parseArgs({
  options: {
    ms: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '3' },
    instance: { type: 'string', default: '0.25' },
    server: { type: 'string', default: '0.3' },
    instances: { type: 'string', default: '3' },
    service: { type: 'string' },
    database: { type: 'string' },
  },
});
const coresOfInstance = Number(options.instance);
const coresOfDatabase = Number(options.server);
const notes = 10_000;
const most = Number(options.instances);
const kinds = kindsOf(notes);

/** Connections of the load to each instance. */
const connections = 16;

/** The server's first process and its descendants. */
const serverProcesses = async (url: string): Promise<readonly number[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const first = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  return [first, ...childrenOf(first)];
};

/** Processes may have ended since they were listed. */
const addIfThere = (budget: Budget, pid: number): void => {
  try {
    budget.add(pid);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

const load = (server: Running, { requests, expect }: Kind): Promise<Result> =>
  putLoad(server, { connections, milliseconds: Number(options.ms), requests, expect });

interface Measurement {
  readonly perSecond: number;
  readonly p50: number;
  readonly cost: Cost;
}

const measure = async (
  servers: readonly Running[],
  kind: Kind,
  budgets: { readonly instances: readonly Budget[]; readonly database: Budget },
): Promise<Measurement> => {
  const used = (): number => budgets.instances.reduce((sum, budget) => sum + budget.used(), 0);
  const service = used();
  const database = budgets.database.used();
  const results = await Promise.all(servers.map((server) => load(server, kind)));
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50: median(results.map(({ p50 }) => p50)),
    cost: {
      service: ((used() - service) / requests) * 1e6,
      database: ((budgets.database.used() - database) / requests) * 1e6,
    },
  };
};

const middleOf = (results: readonly Measurement[]): Measurement => ({
  perSecond: median(results.map(({ perSecond }) => perSecond)),
  p50: median(results.map(({ p50 }) => p50)),
  cost: {
    service: median(results.map(({ cost }) => cost.service)),
    database: median(results.map(({ cost }) => cost.database)),
  },
});

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const line = (cells: readonly (string | number)[]): void => say(`| ${cells.join(' | ')} |`);

/** For one core of an instance: as many as one core of the database can serve. */
const forecast = (name: string, cost: Cost): void => {
  const hardware = { coresOfInstance: 1, coresOfDatabase: 8 };
  line([
    name,
    whole(cost.service),
    whole(cost.database),
    whole(capacity(cost, { ...hardware, instances: 1 })),
    whole(capacity(cost, { ...hardware, instances: 3 })),
    whole(capacity(cost, { ...hardware, instances: 10 })),
    saturation(cost, hardware).toFixed(1),
  ]);
};

const measureAll = async (data: Data, database: Budget): Promise<void> => {
  const servers: Running[] = [];
  const instances: Budget[] = [];
  try {
    for (let count = 1; count <= most; count += 1) {
      const budget = budgetOf(`instance-${count}`, coresOfInstance);
      const server = await startService(data, { DATABASE_POOL: '8' });
      servers.push(server);
      instances.push(budget);
    }
    // Compile and connect before CPU is limited.
    for (const kind of kinds) await Promise.all(servers.map((server) => load(server, kind)));
    for (const pid of await serverProcesses(data.service['DATABASE_URL'] ?? '')) addIfThere(database, pid);
    for (const [index, server] of servers.entries()) instances[index]?.add(server.pid);
    say(`${coresOfInstance} of a core for each instance, ${coresOfDatabase} for PostgreSQL;`);
    say(`medians of ${options.rounds} rounds of ${options.ms} ms, ${connections} connections each\n`);
    line([
      'request',
      'instances',
      'req/s',
      'model',
      'measured / model',
      'p50 ms',
      'CPU µs service',
      'database',
    ]);
    line(Array.from({ length: 8 }, () => '---'));
    const costs = new Map<string, Cost>();
    for (const kind of kinds)
      for (let count = 1; count <= most; count += 1) {
        const rounds: Measurement[] = [];
        for (let round = 0; round < Number(options.rounds); round += 1)
          rounds.push(await measure(servers.slice(0, count), kind, { instances, database }));
        const result = middleOf(rounds);
        if (count === 1) costs.set(kind.name, result.cost);
        const cost = costs.get(kind.name) ?? result.cost;
        const expected = capacity(cost, { instances: count, coresOfInstance, coresOfDatabase });
        line([
          ...[kind.name, count, whole(result.perSecond), whole(expected)],
          (result.perSecond / expected).toFixed(2),
          ...[result.p50.toFixed(1), whole(result.cost.service), whole(result.cost.database)],
        ]);
      }
    say('\nWith a whole core for each instance, and 8 for PostgreSQL (model):\n');
    line(['request', 'CPU µs service', 'database', '1 instance', '3', '10', 'saturated by']);
    line(Array.from({ length: 7 }, () => '---'));
    for (const [name, cost] of costs) forecast(name, cost);
    const share = (name: string, part: number): readonly [number, Cost] => [
      part,
      costs.get(name) ?? { service: 0, database: 0 },
    ];
    forecast(
      '6 details, 3 pages, 1 create',
      mixture([share('detail', 0.6), share('page of 20', 0.3), share('create', 0.1)]),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    for (const budget of instances) budget.remove();
  }
};

if (options.service !== undefined && options.database !== undefined) {
  const cost = { service: Number(options.service), database: Number(options.database) };
  const hardware = { coresOfInstance, coresOfDatabase };
  say(`${whole(capacity(cost, { ...hardware, instances: most }))} requests a second`);
  say(`the database is busy from ${saturation(cost, hardware).toFixed(1)} instances on`);
} else {
  const data = await postgresData({ notes });
  const database = budgetOf('database', coresOfDatabase);
  try {
    await measureAll(data, database);
  } finally {
    await data.remove();
    database.remove();
  }
}
