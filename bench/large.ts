/**
 * Milliseconds and CPU time of requests to a large table, at several sizes, and their growth: pages with and without a
 * total, pages deep inside, filters, a row rule over memberships, groups, writes. Each size is filled, measured and
 * removed; the results are kept, and the table is that of all kept sizes (`--sizes=` only prints it).
 *     npm run bench:large -- [--database=sqlite|postgres] [--sizes=100000,1000000,10000000] [--only=member,detail]
 *         [--out=docs/contributing/speed] [--ms=1500]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, token } from './data.ts';
import { median } from './measure.ts';
import { placeOn } from './place.ts';
import { type Running, start } from './processes.ts';
import { teamRows } from './team-rows.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    sizes: { type: 'string', default: '100000,1000000,10000000' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: 'docs/contributing/speed' },
    ms: { type: 'string', default: '1500' },
  },
});

/** Reads all, as an administrator. */
const administrator = 1;
/** A member of the team with one task in a hundred. */
const memberOfLarge = 2;

interface Sent {
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly user?: number;
  readonly body?: object;
}

interface Case {
  readonly name: string;
  /** The n-th request: each for another record, page, team or member. */
  readonly request: (nth: number) => Sent;
  /** True if a write, which is not measured, precedes each request, so that no total is a kept one. */
  readonly afterWrite?: boolean;
}

const isChosen = ({ name }: Case): boolean => options.only.split(',').some((part) => name.includes(part));

/** Figures of one case at one size. */
interface Figures {
  readonly ms: number;
  /** Microseconds of CPU time, of the service and of the database. */
  readonly cpu: number;
  readonly requests: number;
}

interface Sizes {
  /** Keys: the number of tasks, then the name of the case. */
  readonly [tasks: string]: Readonly<Record<string, Figures>>;
}

const list = '/api/v1/team_tasks';

/** Spreads numbers over 1 to `most`. */
const spread = (nth: number, most: number): number => 1 + ((nth * 7_368_787) % most);

const created = (nth: number): Sent => ({
  method: 'POST',
  path: list,
  body: { team_task: { title: `New ${nth}`, team_id: spread(nth, 100), project_id: 1 } },
});

const casesOf = (tasks: number, cursor: string): readonly Case[] => {
  const teams = tasks / 100;
  const page = `${list}?page=1&per_page=20`;
  const by = (user: (nth: number) => number, path: string) => (nth: number) => ({ path, user: user(nth) });
  const member = (nth: number): number => 3 + spread(nth, teams - 10);
  const large = (): number => memberOfLarge;
  const exact = (name: string, path: string): Case => ({
    name,
    request: () => ({ path }),
    afterWrite: true,
  });
  return [
    { name: 'detail', request: (nth) => ({ path: `${list}/${spread(nth, tasks)}` }) },
    { name: 'first page, `total=none`', request: () => ({ path: `${page}&total=none` }) },
    { ...exact('first page, `total=estimate`', `${page}&total=estimate`) },
    { ...exact('first page, exact total', page) },
    { name: 'first page, exact total, no write between', request: () => ({ path: page }) },
    {
      name: 'page by cursor, from the middle',
      request: () => ({ path: `${list}?per_page=20&after=${cursor}` }),
    },
    {
      name: 'page by number, from the middle, `total=none`',
      request: (nth) => ({ path: `${list}?page=${tasks / 40 + nth}&per_page=20&total=none` }),
    },
    { name: 'sort by an index, `total=none`', request: () => ({ path: `${page}&sort=-team_id&total=none` }) },
    {
      name: 'sort without an index, `total=none`',
      request: () => ({ path: `${page}&sort=-title&total=none` }),
    },
    {
      name: 'filter by an index, exact total',
      request: (nth) => ({ path: `${page}&filter[team_id]=${spread(nth, teams)}` }),
    },
    {
      name: 'filter without an index, one match, `total=none`',
      request: (nth) => ({ path: `${page}&filter[title]=Task+${spread(nth, tasks)}&total=none` }),
    },
    {
      name: 'filter without an index, one of 20,000, `total=none`',
      request: () => ({ path: `${list}?page=1&per_page=5&filter[visibility]=public&total=none` }),
    },
    { name: 'member of three teams, page by cursor', request: by(member, `${list}?per_page=20&after=`) },
    { name: 'member of three teams, exact total', request: by(member, page), afterWrite: true },
    { name: 'member of a large team, `total=none`', request: by(large, `${page}&total=none`) },
    {
      name: 'member of a large team, `total=estimate`',
      request: by(large, `${page}&total=estimate`),
      afterWrite: true,
    },
    { name: 'member of a large team, exact total', request: by(large, page), afterWrite: true },
    {
      name: 'groups by month, member of three teams',
      request: by(member, `${list}/aggregate?group=created_at:month&count`),
    },
    {
      name: 'groups by month, all',
      request: () => ({ path: `${list}/aggregate?group=created_at:month&count` }),
    },
    { name: 'create', request: created },
    {
      name: 'update',
      request: (nth) => ({
        method: 'PATCH',
        path: `${list}/${spread(nth, tasks)}`,
        body: { team_task: { title: `Changed ${nth}` } },
      }),
    },
    { name: 'delete', request: (nth) => ({ method: 'DELETE', path: `${list}/${spread(nth, tasks)}` }) },
  ];
};

const tokens = new Map<number, string>();

const tokenOf = (user: number): string => {
  const known = tokens.get(user) ?? token(user);
  tokens.set(user, known);
  return known;
};

const send = async (
  service: Running,
  { method, path, user = administrator, body }: Sent,
): Promise<Response> => {
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method: method ?? 'GET',
    headers: { Authorization: `Bearer ${tokenOf(user)}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return response;
};

/** One request at a time, for some time; CPU time is counted in ticks of 10 ms, so short ones are sent often. */
const figuresOf = async (one: Case, service: Running, databaseCpu: () => number): Promise<Figures> => {
  const times: number[] = [];
  let spent = 0;
  const run = async (nth: number): Promise<void> => {
    if (one.afterWrite === true) await send(service, created(nth));
    const before = service.cpu() + databaseCpu();
    const at = performance.now();
    await send(service, one.request(nth));
    times.push(performance.now() - at);
    spent += service.cpu() + databaseCpu() - before;
  };
  let nth = 0;
  const runFor = async (milliseconds: number, least: number): Promise<void> => {
    const until = performance.now() + milliseconds;
    for (const first = nth; performance.now() < until || nth < first + least; nth += 1) await run(nth);
  };
  // V8 compiles what the requests of this case need.
  await runFor(Number(options.ms) / 5, 1);
  times.length = 0;
  spent = 0;
  await runFor(Number(options.ms), 3);
  return { ms: median(times), cpu: (spent / times.length) * 1e6, requests: times.length };
};

/** The cursor behind a record. */
const cursorAt = async (service: Running, id: number): Promise<string> => {
  const response = await send(service, { path: `${list}?per_page=1&filter[id][gte]=${id}` });
  const cursor = /after=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
  if (cursor === undefined) throw new Error(`there is no cursor at ${id}`);
  return cursor;
};

const measureSize = async (tasks: number): Promise<Readonly<Record<string, Figures>>> => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-large-'));
  const application = join(root, 'bench/teams');
  const filling = performance.now();
  const place = await placeOn(options.database, {
    directory,
    application,
    large: 'team_tasks',
    rows: (now) => [
      ...teamRows({ tasks, teams: tasks / 100, tables: ['team_tasks'] }, now),
      `update team_tasks set team_id = 1 where id % 100 = 0`,
      `insert into memberships (team_id, role, user_id, created_at, updated_at) values (1, 'reader', ${memberOfLarge}, ${now}, ${now})`,
      `insert into user_roles (user_id, role) values (${administrator}, 'admin')`,
    ],
  });
  process.stdout.write(`${tasks} tasks, filled in ${Math.round((performance.now() - filling) / 1000)} s\n`);
  const figures: Record<string, Figures> = {};
  try {
    const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
    const first = await start('gatewright', command, place.env, application);
    await first.stop();
    const service = await start('gatewright', command, place.env, application);
    try {
      figures['start to the first answer'] = { ms: service.startup, cpu: service.cpu() * 1e6, requests: 1 };
      for (const one of casesOf(tasks, await cursorAt(service, tasks / 2)).filter(isChosen)) {
        const found = await figuresOf(one, service, place.databaseCpu);
        figures[one.name] = found;
        process.stdout.write(
          `${one.name}: ${found.ms.toFixed(2)} ms, ${Math.round(found.cpu)} µs CPU, ${found.requests} requests\n`,
        );
      }
      process.stdout.write(`resident: ${Math.round(service.memory() / 1e6)} MB\n`);
    } finally {
      await service.stop();
    }
  } finally {
    await place.remove();
    rmSync(directory, { recursive: true, force: true });
  }
  return figures;
};

const shown = (figures: Figures | undefined): string =>
  figures === undefined
    ? ''
    : `${figures.ms.toFixed(figures.ms < 10 ? 2 : 0)} (${(figures.cpu / 1000).toFixed(2)})`;

/** Milliseconds of CPU time at the largest size beside those at the smallest. */
const growth = (least: Figures | undefined, most: Figures | undefined): string =>
  least === undefined || most === undefined ? '' : (most.cpu / least.cpu).toFixed(1);

const table = (sizes: Sizes): string => {
  const numbers = Object.keys(sizes).sort((a, b) => Number(a) - Number(b));
  const [least = '', most = ''] = [numbers[0], numbers.at(-1)];
  const head = ['request', ...numbers.map((size) => Number(size).toLocaleString('en')), 'growth of CPU'];
  const rows = Object.keys(sizes[most] ?? {}).map((name) => [
    name,
    ...numbers.map((size) => shown(sizes[size]?.[name])),
    growth(sizes[least]?.[name], sizes[most]?.[name]),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

const file = join(options.out, `large-${options.database}.json`);
const kept: Record<string, Readonly<Record<string, Figures>>> = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : {};
for (const size of options.sizes
  .split(',')
  .filter((text) => text !== '')
  .map(Number)) {
  kept[size] = { ...kept[size], ...(await measureSize(size)) };
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
}
process.stdout.write(`\n${table(kept)}\n`);
