/**
 * The gate of the cost of a request: CPU time of ten cases beside an earlier commit of the service and the bare server of
 * the benchmark, in one run. A change that makes a case a tenth dearer fails here. If it is worth that, its commit says so,
 * and the next one names it as the commit to compare with.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { callerKey, callers, spread } from '../../bench/callers.ts';
import { type Case, casesOf, signedPayments } from '../../bench/cases.ts';
import { type Data, sqliteData, token } from '../../bench/data.ts';
import { builtCommit } from '../../bench/former.ts';
import type { Pair } from '../../bench/pair.ts';
import { type Running, startBare, startService } from '../../bench/processes.ts';
import { request } from '../../bench/request.ts';
import { orderPage, orderRequest, startShop } from '../../bench/shop.ts';
import { countsNanoseconds, type TurnCase, type TurnCost, Turns } from '../../bench/turns.ts';
import { ensureBuilt } from '../tour/service.ts';

/**
 * The commit whose costs count. A table of microseconds would hold for one kind of processor only: on another one the same
 * code costs between 0.5 and 1.05 times as much, by case.
 */
const former = '1fb1c27f89e2f41e566821e9ed7b34f167768901';

const notes = 2_000;
const orders = 1_000;

/** Most of a cost, by the one of the former commit: of the cheapest processes, or of the median of many pairs. */
const most = { cheapest: 1.06, median: 1.03 };

/**
 * Passes, each with new processes. V8 compiles the same code so differently in two processes that one spends up to half
 * as much CPU again as the other, for as long as it lives. The cheapest process of each version is compared. One process
 * in thirty is cheaper than all others; where the former commit alone had it, the median of `many` pairs decides, whose
 * error is a third of that of one pair.
 */
const passes = { least: 2, many: 10, most: 14 };

/** Cases in their order. The last two add records. */
const names = [
  'health',
  'detail',
  'page',
  'include',
  'filter',
  'key',
  'no record',
  'bad record',
  'create',
  'signature',
] as const;

type CaseName = (typeof names)[number];
type Side = 'ours' | 'former' | 'bare';

/** A version of the service. */
interface Version {
  readonly data: Data;
  /** This one unless given. */
  readonly checkout: string | undefined;
  /** Brings the data back to its first state, in which each pass begins. Nothing may have it open. */
  restore(): void;
}

type Versions = Readonly<Record<'ours' | 'former', Version>>;

/** The servers of a pass. The bare ones read the data of `ours`. */
interface Servers {
  readonly ours: Running;
  readonly former: Running;
  readonly bare: Running;
  /** Only for the case that needs them. */
  readonly shops: Readonly<Record<'ours' | 'former', Pair>> | undefined;
}

const tokenOf = (caller: number): readonly string[] => [
  `Authorization: Bearer ${token(1 + (caller % callers))}`,
];
const keyOf = (caller: number): readonly string[] => [`X-Api-Key: ${callerKey(caller % callers)}`];

/**
 * The cases, each with 32 users and another record, page or value in each request. A signed payment stands beside a create
 * of the bare server, which has no signatures; an order by key beside a note by key.
 */
const turnCases = (
  versions: Versions,
  { ours, former, bare, shops }: Servers,
): Readonly<Record<CaseName, () => TurnCase<Side>>> => {
  const cases = new Map(casesOf(versions.ours.data, notes).map((one) => [one.name, one]));
  const named = (name: string): Case => {
    const one = cases.get(name);
    if (one === undefined) throw new Error(`no such case: ${name}`);
    return one;
  };
  const turnCase = (
    name: string,
    expect: number,
    requests: readonly string[],
    others: { readonly former?: readonly string[]; readonly bare?: readonly string[] } = {},
  ): TurnCase<Side> => ({
    name,
    expect,
    sides: {
      ours: { server: ours, requests },
      former: { server: former, requests: others.former ?? requests },
      bare: { server: bare, requests: others.bare ?? requests },
    },
  });
  const ofBenchmark = (name: string) => (): TurnCase<Side> => {
    const { expect: status, requests } = named(name);
    return turnCase(name, Number(status), requests);
  };
  const ids = spread(320, notes);
  const gets = (path: (id: number) => string, headers: (caller: number) => readonly string[]): string[] =>
    ids.map((id) => request('GET', path(id), headers(id)));
  const missing = (): readonly string[] => gets((id) => `/api/v1/notes/${90_000_000 + id}`, tokenOf);
  const untitled = (): readonly string[] =>
    ids.map((id) =>
      request('POST', '/api/v1/notes', tokenOf(id), `{"note":{"title":"","body":"Body ${id}"}}`),
    );
  const ofOwners = (): readonly string[] =>
    spread(notes / 10, notes / 10).map((id) => request('GET', `/api/v1/orders/${id}`, keyOf(id)));
  const include = (): TurnCase<Side> => {
    if (shops === undefined) throw new Error('the shops do not run');
    const requests = spread(320, orders).map((order) => orderRequest(order, orderPage(order)));
    return {
      name: 'include',
      expect: 200,
      sides: {
        ours: { server: shops.ours.service, requests },
        former: { server: shops.former.service, requests },
        bare: { server: shops.ours.bare, requests },
      },
    };
  };
  const payments = ({ data }: Version): readonly string[] => signedPayments(data, 30_000);
  return {
    health: ofBenchmark('health'),
    detail: ofBenchmark('detail, JWT'),
    page: ofBenchmark('page of 20, without a total'),
    include,
    filter: ofBenchmark('filtered, sorted, 20: 1 %'),
    key: () => turnCase('key', 200, ofOwners(), { bare: gets((id) => `/api/v1/notes/${id}`, keyOf) }),
    'no record': () => turnCase('404', 404, missing()),
    'bad record': () => turnCase('422', 422, untitled()),
    create: ofBenchmark('create, durable'),
    signature: () =>
      turnCase('signature', 201, payments(versions.ours), {
        former: payments(versions.former),
        bare: named('create, durable').requests,
      }),
  };
};

/** Makes the data of a version. */
const versionOf = async (stack: AsyncDisposableStack, checkout?: string): Promise<Version> => {
  const data = await sqliteData({ notes, maker: checkout });
  stack.defer(() => data.remove());
  data.applications();
  const folder = dirname(data.bare);
  const first = mkdtempSync(join(tmpdir(), 'gatewright-first-'));
  stack.defer(() => rmSync(first, { recursive: true, force: true }));
  cpSync(folder, first, { recursive: true });
  const restore = (): void => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(first, folder, { recursive: true });
  };
  return { data, checkout, restore };
};

/** Starts the servers of a pass. */
const startServers = async (
  stack: AsyncDisposableStack,
  { ours, former }: Versions,
  withShops: boolean,
): Promise<Servers> => {
  const started = async (running: Promise<Running>): Promise<Running> => {
    const server = await running;
    stack.defer(() => server.stop());
    return server;
  };
  const shopOf = async ({ checkout }: Version): Promise<Pair> => {
    const shop = await startShop('sqlite', orders, checkout);
    stack.defer(() => shop.remove());
    return shop;
  };
  return {
    ours: await started(startService(ours.data, {}, ours.checkout)),
    former: await started(startService(former.data, {}, former.checkout)),
    bare: await started(startBare(ours.data)),
    shops: withShops ? { ours: await shopOf(ours), former: await shopOf(former) } : undefined,
  };
};

/** The costs of the two versions, which are compared. */
type Compared = TurnCost<'ours' | 'former'>;

/** Measures some cases with new servers; returns the cost of each. The bare server is only shown. */
const measure = async (
  wanted: readonly CaseName[],
  versions: Versions,
  withBare: boolean,
): Promise<ReadonlyMap<CaseName, Compared>> => {
  await using stack = new AsyncDisposableStack();
  for (const version of Object.values(versions)) version.restore();
  const servers = await startServers(stack, versions, wanted.includes('include'));
  const cases = turnCases(versions, servers);
  using turns = new Turns();
  const measured = new Map<CaseName, Compared>();
  for (const name of wanted) {
    const one = cases[name]();
    const { ours: mine, former: theirs } = one.sides;
    const costs: Compared & Partial<TurnCost<'bare'>> = withBare
      ? await turns.cost(one)
      : await turns.cost({ ...one, sides: { ours: mine, former: theirs } });
    const { ours, former, bare } = costs;
    measured.set(name, { ours, former });
    const shown = bare === undefined ? '' : `, bare server ${bare.toFixed(1)}`;
    process.stdout.write(
      `${name}: ${ours.toFixed(1)} µs, ${former.toFixed(1)} before (${(ours / former).toFixed(3)})${shown}\n`,
    );
  }
  return measured;
};

/** The costs of each side in the passes so far. */
type Passes = readonly Compared[];

/** The cost of the cheapest process, by the one of the former commit. */
const ratioOf = (costs: Passes): number => {
  const cheapest = (side: keyof Compared): number => Math.min(...costs.map((cost) => cost[side]));
  return cheapest('ours') / cheapest('former');
};

/** The median of the costs of pairs of processes that ran side by side, ours by the one of the former commit. */
const medianOf = (costs: Passes): number => {
  const ratios = costs.map(({ ours, former: before }) => ours / before).sort((one, other) => one - other);
  const middle = (ratios.length - 1) / 2;
  return ((ratios[Math.floor(middle)] ?? Number.NaN) + (ratios[Math.ceil(middle)] ?? Number.NaN)) / 2;
};

const isTooDear = (costs: Passes): boolean =>
  ratioOf(costs) > most.cheapest && !(costs.length >= passes.many && medianOf(costs) <= most.median);

it.runIf(countsNanoseconds)(
  'no request costs a tenth more CPU time than before, beside the bare server',
  { timeout: 900_000 },
  async () => {
    await ensureBuilt();
    await using checkout = await builtCommit(former);
    // In memory: how long a disk takes decides how many writes share a commit, and so what each costs.
    vi.stubEnv('TMPDIR', existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
    onTestFinished(() => void vi.unstubAllEnvs());
    await using stack = new AsyncDisposableStack();
    const versions = { ours: await versionOf(stack), former: await versionOf(stack, checkout.folder) };
    const costs = new Map<CaseName, Passes>();
    const tooDear = (): readonly CaseName[] => names.filter((name) => isTooDear(costs.get(name) ?? []));
    // Further passes are for the cases that seem dear.
    let left: readonly CaseName[] = names;
    for (let pass = 1; pass <= passes.most && left.length > 0; pass += 1) {
      for (const [name, cost] of await measure(left, versions, pass === 1))
        costs.set(name, [...(costs.get(name) ?? []), cost]);
      if (pass >= passes.least) left = tooDear();
    }
    expect(Object.fromEntries(tooDear().map((name) => [name, costs.get(name)]))).toEqual({});
  },
);
