/**
 * Lists under row rules, or with conditional fields, compared with the same without, in turn, in one run: a user in three
 * of many teams.
 *     npm run bench:rows -- [--database=sqlite|postgres] [--tasks=1000000] [--teams=10000] [--rounds=5] [--ms=1000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callers } from './callers.ts';
import { root, token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { numbers, placeOn } from './place.ts';
import { isPinned, start } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    tasks: { type: 'string', default: '1000000' },
    teams: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '8' },
  },
});
const application = join(root, 'bench/teams');
const tasks = Number(options.tasks);
const teams = Number(options.teams);
/** Users who are members of three teams each; 32 of them send requests. */
const others = teams;
const tables = ['open_tasks', 'conditional_tasks', 'team_tasks', 'shared_tasks', 'project_tasks'];

/** Tasks are spread over the teams, one in 20,000 is public, and each user has written a few. */
const rows = (now: string): string[] => [
  `insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
     ${numbers(others)} select 'u' || i, 'u' || i, i || '@u.example', i || '@u.example', 'U', '-', ${now}, ${now} from n`,
  `insert into teams (name, created_at, updated_at) ${numbers(teams)} select 'Team ' || i, ${now}, ${now} from n`,
  `insert into projects (name, team_id, created_at, updated_at)
     ${numbers(teams * 2)} select 'Project ' || i, 1 + (i * 7) % ${teams}, ${now}, ${now} from n`,
  `insert into memberships (team_id, role, user_id, created_at, updated_at)
     ${numbers(others * 3)} select 1 + (i * 7919 + i / ${others} * 37) % ${teams}, 'reader', 2 + i % ${others}, ${now}, ${now} from n`,
  ...tables.map(
    (table) => `insert into ${table} (title, visibility, team_id, project_id, user_id, created_at, updated_at)
     ${numbers(tasks)} select 'Task ' || i, case when i % 20000 = 0 then 'public' else 'team' end,
       1 + (i * 104729) % ${teams}, 1 + (i * 15485863) % ${teams * 2}, 2 + (i * 31) % ${others}, ${now}, ${now} from n`,
  ),
];

const request = (path: string, user: number): string =>
  [
    'GET ',
    `/api/v1/${path}`,
    ' HTTP/1.1\r\n',
    'Host: 127.0.0.1\r\n',
    `Authorization: Bearer ${token(user)}\r\n`,
    '\r\n',
  ].join('');

const asked: Readonly<Record<string, string>> = {
  'page of 20 with total': '?page=1&per_page=20',
  'page of 20 by cursor': '?per_page=20&after=',
  'newest 20 by cursor': '?per_page=20&after=&sort=-id',
};

const directory = mkdtempSync(join(tmpdir(), 'gatewright-rows-'));
const place = await placeOn(options.database, { directory, application, rows });
try {
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const service = await start('gatewright', command, place.env, application);
  const load = (path: string): Promise<Measured> =>
    measure(service, {
      connections: Number(options.connections),
      milliseconds: Number(options.ms),
      requests: Array.from({ length: callers }, (_, index) => request(path, 2 + index)),
      expect: 200,
    });
  process.stdout.write(
    `${options.database}, ${tasks} tasks in each of ${tables.length} tables, ${teams} teams, ${others} users in 3 each, ${options.connections} connections${isPinned ? '; server and load on a core each' : ''}\n`,
  );
  for (const [name, query] of Object.entries(asked)) {
    const results = new Map<string, Measured[]>(tables.map((table) => [table, []]));
    for (const table of tables) await load(table + query);
    for (let round = 0; round < Number(options.rounds); round += 1)
      for (const table of tables) results.get(table)?.push(await load(table + query));
    const open = results.get('open_tasks') ?? [];
    for (const [table, rounds] of results) {
      const { perSecond, p50, p99, cpu } = middle(rounds);
      const times = rounds.map((each, index) => (open[index]?.perSecond ?? 0) / each.perSecond);
      process.stdout.write(
        `${name}, ${table}: ${Math.round(perSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${Math.round(cpu)} µs CPU, time ${median(times).toFixed(2)} (${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)})\n`,
      );
    }
  }
  await service.stop();
} finally {
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
