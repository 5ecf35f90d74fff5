/**
 * Lists under row rules, or with conditional fields, compared with the same without, in turn, in one run: a user in three
 * of many teams. Each request comes from the next of 32 users and asks for another page.
 *     npm run bench:rows -- [--database=sqlite|postgres] [--tasks=1000000] [--teams=10000] [--rounds=5] [--ms=1000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callers } from './callers.ts';
import { root, token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { placeOn } from './place.ts';
import { isPinned, type Running, start } from './processes.ts';
import { request } from './request.ts';
import { teamRows } from './team-rows.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    tasks: { type: 'string', default: '1000000' },
    teams: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '32' },
  },
});
const application = join(root, 'bench/teams');
const tasks = Number(options.tasks);
const teams = Number(options.teams);
const tables = ['open_tasks', 'conditional_tasks', 'team_tasks', 'shared_tasks', 'project_tasks'];

const requestOf = (path: string, user: number): string =>
  request('GET', path, [`Authorization: Bearer ${token(user)}`]);

/** Pages that each caller reads of each table: a caller's teams have 300 tasks. */
const pagesEach = 10;

/** The path of the page after a response; undefined after the last one. */
const nextOf = (link: string | null): string | undefined => {
  const address = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address);
  return pathname + search;
};

/** A caller's first pages by cursor. */
const cursorPages = async (port: number, first: string, user: number): Promise<readonly string[]> => {
  const paths: string[] = [];
  let path: string | undefined = first;
  while (path !== undefined && paths.length < pagesEach) {
    paths.push(path);
    const response: Response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { Authorization: `Bearer ${token(user)}` },
    });
    await response.text();
    path = nextOf(response.headers.get('link'));
  }
  return paths;
};

const numberedPages = async (_port: number, first: string, _user: number): Promise<readonly string[]> =>
  Array.from({ length: pagesEach }, (_, index) => first.replace('page=1', `page=${index + 1}`));

/** The query of a first page, and what leads to the next ones. */
const asked = {
  'page of 20 with total': ['?page=1&per_page=20', numberedPages],
  'page of 20 by cursor': ['?per_page=20&after=', cursorPages],
  'newest 20 by cursor': ['?per_page=20&after=&sort=-id', cursorPages],
} as const;

/** Every caller's pages of a table: the callers in turn, each with their next page. */
const requestsOf = async (
  port: number,
  table: string,
  [query, pagesOf]: (typeof asked)[keyof typeof asked],
): Promise<readonly string[]> => {
  const users = Array.from({ length: callers }, (_, index) => 2 + index);
  const pages: (readonly string[])[] = [];
  for (const user of users) pages.push(await pagesOf(port, `/api/v1/${table}${query}`, user));
  return Array.from({ length: pagesEach }, (_, number) =>
    users.map((user, index) => {
      const own = pages[index] ?? [];
      return requestOf(own[number % own.length] ?? '', user);
    }),
  ).flat();
};

const directory = mkdtempSync(join(tmpdir(), 'gatewright-rows-'));
const place = await placeOn(options.database, {
  directory,
  application,
  rows: (now) => teamRows({ tasks, teams, tables }, now),
});
let service: Running | undefined;
try {
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const server = await start('gatewright', command, place.env, application);
  service = server;
  const load = (requests: readonly string[]): Promise<Measured> =>
    measure(server, {
      connections: Number(options.connections),
      milliseconds: Number(options.ms),
      requests,
      expect: 200,
    });
  process.stdout.write(
    `${options.database}, ${tasks} tasks in each of ${tables.length} tables, ${teams} teams, as many users in 3 each, ${options.connections} connections${isPinned ? '; server and load on a core each' : ''}\n`,
  );
  for (const [name, query] of Object.entries(asked)) {
    const results = new Map<string, Measured[]>(tables.map((table) => [table, []]));
    const sent = new Map<string, readonly string[]>();
    for (const table of tables) sent.set(table, await requestsOf(server.port, table, query));
    for (const requests of sent.values()) await load(requests);
    for (let round = 0; round < Number(options.rounds); round += 1)
      for (const [table, requests] of sent) results.get(table)?.push(await load(requests));
    const open = results.get('open_tasks') ?? [];
    for (const [table, rounds] of results) {
      const { perSecond, p50, p99, cpu } = middle(rounds);
      const times = rounds.map((each, index) => (open[index]?.perSecond ?? 0) / each.perSecond);
      process.stdout.write(
        `${name}, ${table}: ${Math.round(perSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${Math.round(cpu)} µs CPU, time ${median(times).toFixed(2)} (${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)})\n`,
      );
    }
  }
} finally {
  await service?.stop();
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
