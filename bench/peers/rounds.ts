/** Loads every server in turn, round by round. */

import type { Job } from '../load.ts';
import { type Measured, measure } from '../measure.ts';
import { numbered, request } from '../request.ts';
import { keysOf, type Signed } from './check.ts';
import type { Asked, Headers, Wanted } from './peer.ts';
import { createdProduct } from './product.ts';
import type { Server } from './server.ts';

/** A server with all of its users signed in. */
export interface Loaded extends Signed {
  readonly callers: readonly Headers[];
}

/** What is asked of everyone. */
export interface PeerCase {
  readonly name: string;
  /** The texts of its requests; none where a server does not offer it. */
  readonly requests: (loaded: Loaded) => Promise<readonly string[]>;
  readonly expect: (signed: Signed) => number;
}

const lines = (headers: Headers): readonly string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

const textOf = ({ method, path, body }: Asked, headers: Headers): string =>
  body === undefined
    ? request(method, path, lines(headers))
    : numbered(method, path, lines(headers), JSON.stringify(body));

/** Each path by the next user. */
const getsOf = (paths: readonly string[], { callers }: Loaded): readonly string[] =>
  paths.map((path, index) => textOf({ method: 'GET', path }, callers[index % callers.length] ?? {}));

const pagesOf =
  (wanted: readonly Wanted[]) =>
  async (loaded: Loaded): Promise<readonly string[]> =>
    getsOf(
      wanted.map((each) => loaded.peer.page(each)).filter((path) => path !== undefined),
      loaded,
    );

const ok = (): number => 200;

/** @param ids of the records that are read @param pages that are read with a total, and without one */
export const casesOver = (ids: readonly number[], pages: readonly Wanted[]): readonly PeerCase[] => [
  {
    name: 'detail',
    requests: async (loaded) => {
      const keys = await keysOf(loaded, ids);
      return getsOf(
        keys.map((key) => loaded.peer.detail(key)),
        loaded,
      );
    },
    expect: ok,
  },
  { name: 'page of 20, with total', requests: pagesOf(pages), expect: ok },
  {
    name: 'page of 20, no total',
    requests: pagesOf(pages.map((page) => ({ ...page, total: false }))),
    expect: ok,
  },
  {
    name: 'create',
    requests: async ({ peer, callers }) =>
      callers.map((headers) => textOf(peer.create(createdProduct), headers)),
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
  servers: readonly (Loaded & { readonly server: Server })[],
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
