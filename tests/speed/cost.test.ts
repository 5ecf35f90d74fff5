/**
 * The gate of the cost of a request: CPU time of ten cases beside the bare server of the benchmark, in one run. A change
 * that makes a case a tenth dearer fails here. If it is worth that, its commit says so and sets the new cost.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import { callerKey, callers, spread } from '../../bench/callers.ts';
import { type Case, casesOf, signedPayments } from '../../bench/cases.ts';
import { type Data, sqliteData, token } from '../../bench/data.ts';
import type { Pair } from '../../bench/pair.ts';
import { type Running, startBare, startService } from '../../bench/processes.ts';
import { request } from '../../bench/request.ts';
import { orderPage, orderRequest, startShop } from '../../bench/shop.ts';
import { countsNanoseconds, type TurnCase, type TurnCost, Turns } from '../../bench/turns.ts';
import { ensureBuilt } from '../tour/service.ts';

const notes = 2_000;
const orders = 1_000;

/**
 * Microseconds of CPU time per request on the machine of CI, ours and the bare server's. The bare server's tell how fast
 * another machine, or this one today, is. A signed payment stands beside a create of the bare server, which has no
 * signatures; an order by key beside a note by key.
 */
const costs = {
  health: [12.3, 11.6],
  detail: [27.0, 65.5],
  page: [60, 141.5],
  include: [92, 260],
  filter: [215, 303],
  key: [31.2, 85.7],
  'no record': [27.3, 51.9],
  'bad record': [34.8, 55.5],
  // They add records, so they come last.
  create: [44, 108],
  signature: [95, 106],
} as const;

type CaseName = keyof typeof costs;

const names = Object.keys(costs) as CaseName[];

/** Most of a cost, by its own. Other machines than that of CI spend it otherwise: on SQLite, the kernel, the compiler. */
const most = process.env['CI'] === undefined ? 1.25 : 1.06;

/**
 * Time that the servers wait for a core, by their CPU time, while they have the machine for themselves: their threads and
 * the load generator take turns.
 */
const calm = 0.4;

/**
 * Most of a cost in a pass. While others want the cores, they take the caches of the processor too, and a request costs up
 * to a half more: then only a greater change can be seen.
 */
const mostAt = (waiting: number): number => most + Math.max(0, waiting - calm);

/**
 * Passes, each with new processes. A disturbance adds to a cost and never takes anything off, so the least of some passes
 * is close to the cost itself.
 */
const passes = 5;

/** The servers with their data. */
interface Servers {
  readonly data: Data;
  readonly bare: Running;
  readonly service: Running;
  readonly shop: Pair;
}

const tokenOf = (caller: number): readonly string[] => [
  `Authorization: Bearer ${token(1 + (caller % callers))}`,
];
const keyOf = (caller: number): readonly string[] => [`X-Api-Key: ${callerKey(caller % callers)}`];

/** The cases, each with 32 users and another record, page or value in each request. */
const turnCases = ({ data, bare, service, shop }: Servers): Readonly<Record<CaseName, TurnCase>> => {
  const cases = new Map(casesOf(data, notes).map((one) => [one.name, one]));
  const named = (name: string): Case => {
    const one = cases.get(name);
    if (one === undefined) throw new Error(`no such case: ${name}`);
    return one;
  };
  const turnCase = (
    name: string,
    expect: number,
    ours: readonly string[],
    theirs: readonly string[] = ours,
  ): TurnCase => ({
    name,
    expect,
    ours: { server: service, requests: ours },
    bare: { server: bare, requests: theirs },
  });
  const ofBenchmark = (name: string): TurnCase => {
    const { expect: status, requests } = named(name);
    return turnCase(name, Number(status), requests);
  };
  const ids = spread(320, notes);
  const gets = (path: (id: number) => string, headers: (caller: number) => readonly string[]): string[] =>
    ids.map((id) => request('GET', path(id), headers(id)));
  const missing = gets((id) => `/api/v1/notes/${90_000_000 + id}`, tokenOf);
  const untitled = ids.map((id) =>
    request('POST', '/api/v1/notes', tokenOf(id), `{"note":{"title":"","body":"Body ${id}"}}`),
  );
  const ofOwners = spread(notes / 10, notes / 10).map((id) =>
    request('GET', `/api/v1/orders/${id}`, keyOf(id)),
  );
  const shopOrders = spread(320, orders).map((order) => orderRequest(order, orderPage(order)));
  return {
    health: ofBenchmark('health'),
    detail: ofBenchmark('detail, JWT'),
    page: ofBenchmark('page of 20, without a total'),
    include: {
      name: 'include',
      expect: 200,
      ours: { server: shop.service, requests: shopOrders },
      bare: { server: shop.bare, requests: shopOrders },
    },
    filter: ofBenchmark('filtered, sorted, 20: 1 %'),
    key: turnCase(
      'key',
      200,
      ofOwners,
      gets((id) => `/api/v1/notes/${id}`, keyOf),
    ),
    'no record': turnCase('404', 404, missing),
    'bad record': turnCase('422', 422, untitled),
    create: ofBenchmark('create, durable'),
    signature: turnCase('signature', 201, signedPayments(data, 30_000), named('create, durable').requests),
  };
};

/** Measures some cases with new servers. */
const measure = async (wanted: readonly CaseName[]): Promise<ReadonlyMap<CaseName, TurnCost>> => {
  await using stack = new AsyncDisposableStack();
  const data = await sqliteData({ notes });
  stack.defer(() => data.remove());
  const bare = await startBare(data);
  stack.defer(() => bare.stop());
  const service = await startService(data);
  stack.defer(() => service.stop());
  const shop = await startShop('sqlite', orders);
  stack.defer(() => shop.remove());
  const cases = turnCases({ data, bare, service, shop });
  using turns = new Turns();
  const measured = new Map<CaseName, TurnCost>();
  for (const name of wanted) measured.set(name, await turns.cost(cases[name]));
  return measured;
};

/** How much slower this machine is than that of the table: the geometric mean over the cases of the bare server. */
const slownessOf = (measured: ReadonlyMap<CaseName, TurnCost>): number => {
  const logarithms = [...measured].map(([name, { bare }]) => Math.log(bare / costs[name][1]));
  return Math.exp(logarithms.reduce((sum, value) => sum + value, 0) / logarithms.length);
};

it.runIf(countsNanoseconds)(
  'no request costs a tenth more CPU time than in the table, beside the bare server',
  { timeout: 600_000 },
  async () => {
    await ensureBuilt();
    // In memory: how long a disk takes decides how many writes share a commit, and so what each costs.
    vi.stubEnv('TMPDIR', existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
    onTestFinished(() => void vi.unstubAllEnvs());
    let slowness: number | undefined;
    let left: readonly CaseName[] = names;
    const tooDear = new Map<CaseName, number>();
    for (let pass = 0; pass < passes && left.length > 0; pass += 1) {
      const measured = await measure(left);
      slowness ??= slownessOf(measured);
      for (const [name, { ours, bare, waiting }] of measured) {
        const cost = ours / slowness / costs[name][0];
        const bound = mostAt(waiting);
        if (cost > bound) tooDear.set(name, Math.min(cost, tooDear.get(name) ?? cost));
        else tooDear.delete(name);
        const line = `${ours.toFixed(1)} µs beside ${bare.toFixed(1)}, ${cost.toFixed(2)} of its cost`;
        process.stdout.write(
          `${name}: ${line} (at most ${bound.toFixed(2)}, slowness ${slowness.toFixed(2)})\n`,
        );
      }
      left = [...tooDear.keys()];
    }
    expect(Object.fromEntries(tooDear)).toEqual({});
  },
);
