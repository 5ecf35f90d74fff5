/** Loads every server in turn, round by round. */
import { numbered, request } from '../cases.ts';
import type { Job } from '../load.ts';
import { type Measured, measure } from '../measure.ts';
import { keysOf, type Signed } from './check.ts';
import type { Asked, Headers, Wanted } from './peer.ts';
import { createdProduct } from './product.ts';
import type { Server } from './server.ts';

/** What is asked of everyone. */
export interface PeerCase {
  readonly name: string;
  /** The texts of its requests; none where a server does not offer it. */
  readonly requests: (signed: Signed) => Promise<readonly string[]>;
  readonly expect: (signed: Signed) => number;
}

const lines = (headers: Headers): readonly string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

const textOf = ({ method, path, body }: Asked, headers: Headers): string =>
  body === undefined
    ? request(method, path, lines(headers))
    : numbered(method, path, lines(headers), JSON.stringify(body));

const pagesOf =
  (wanted: readonly Wanted[]) =>
  async ({ peer, headers }: Signed): Promise<readonly string[]> =>
    wanted
      .map((each) => peer.page(each))
      .filter((path) => path !== undefined)
      .map((path) => textOf({ method: 'GET', path }, headers));

const ok = (): number => 200;

/** @param ids of the records that are read @param pages those with a total, by their numbers */
export const casesOver = (ids: readonly number[], pages: readonly Wanted[]): readonly PeerCase[] => [
  {
    name: 'detail',
    requests: async (signed) => {
      const keys = await keysOf(signed, ids);
      return keys.map((key) => textOf({ method: 'GET', path: signed.peer.detail(key) }, signed.headers));
    },
    expect: ok,
  },
  { name: 'page of 20, with total', requests: pagesOf(pages), expect: ok },
  {
    name: 'first 20, no total',
    requests: pagesOf([{ page: 1, size: 20, total: false }]),
    expect: ok,
  },
  {
    name: 'create',
    requests: async ({ peer, headers }) => [textOf(peer.create(createdProduct), headers)],
    expect: ({ peer }) => peer.created,
  },
];

export interface Pace {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly warmup: number;
}

/** Clients at once: each sends its next request when the last one is answered. */
export const connections = 32;

/** Rounds of one case; who begins changes with each. Servers that do not offer it have no results. */
export const inTurns = async (
  one: PeerCase,
  servers: readonly (Signed & { readonly server: Server })[],
  { rounds, milliseconds, warmup }: Pace,
): Promise<ReadonlyMap<string, readonly Measured[]>> => {
  const results = new Map<string, Measured[]>();
  const jobs: { readonly server: Server; readonly job: Omit<Job, 'port' | 'milliseconds'> }[] = [];
  for (const signed of servers) {
    const requests = await one.requests(signed);
    if (requests.length === 0) continue;
    jobs.push({ server: signed.server, job: { connections, expect: one.expect(signed), requests } });
    results.set(signed.peer.name, []);
  }
  for (const { server, job } of jobs) await measure(server, { ...job, milliseconds: warmup });
  for (let round = 0; round < rounds; round += 1)
    for (const { server, job } of [...jobs.slice(round % jobs.length), ...jobs.slice(0, round % jobs.length)])
      results.get(server.peer.name)?.push(await measure(server, { ...job, milliseconds }));
  return results;
};
