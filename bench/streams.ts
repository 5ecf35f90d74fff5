/**
 * Durable creates per second with and without many followers: all of them with the same events, or each user with
 * events of their own records. In turn, in one run; with the memory of the service. 32 users create.
 *     npm run bench:streams -- [--database=sqlite|postgres] [--streams=1000] [--rounds=5] [--ms=2000]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { callers } from './callers.ts';
import { root, token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { numbers, placeOn } from './place.ts';
import { isPinned, onCore, start } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    streams: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '2000' },
  },
});
const application = join(root, 'bench/events-app');
const streams = Number(options.streams);
/** A caller has 100 streams at most. */
const followers = Math.max(10, Math.ceil(streams / 100));

/** Users who create, among whom are the followers. */
const writers = Array.from({ length: callers }, (_, index) => 3 + index);

const rows = (now: string): string[] => [
  `insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
     ${numbers(Math.max(followers, callers))} select 'u' || i, 'u' || i, i || '@u.example', i || '@u.example', 'U', '-', ${now}, ${now} from n`,
];

const create = (model: string, path: string, user: number): string => {
  const body = JSON.stringify({ [model]: { title: 'Item {n}', amount: 12, due: '2026-11-22' } });
  return [
    `POST /api/v1/${path} HTTP/1.1\r\n`,
    'Host: 127.0.0.1\r\n',
    `Authorization: Bearer ${token(user)}\r\n`,
    'Content-Type: application/json\r\n',
    // The inserted number has nine digits, its placeholder has three.
    `Content-Length: ${body.length + 6}\r\n`,
    `\r\n${body}`,
  ].join('');
};

/** Follows a model with all streams; returns a function that ends them. */
const followOn = async (port: number, model: string): Promise<() => Promise<string>> => {
  const [program, args] = onCore(1, process.execPath, ['bench/readers.ts']);
  const child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const tokens = Array.from({ length: followers }, (_, index) => token(3 + index));
  child.stdin.write(
    `${JSON.stringify({ port, path: `/api/v1/changes?models=${model}`, streams, tokens })}\n`,
  );
  await once(lines, 'line');
  return async () => {
    const said = once(lines, 'line');
    child.stdin.end();
    const [line] = (await said) as [string];
    return line;
  };
};

const directory = mkdtempSync(join(tmpdir(), 'gatewright-streams-'));
const place = await placeOn(options.database, { directory, application, rows });
try {
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const env = { ...place.env, MAX_CONNECTIONS: String(streams * 2 + 1_000) };
  const service = await start('gatewright', command, env, application);
  process.stdout.write(
    `${options.database}, ${streams} streams of ${followers} users, 32 connections that write${isPinned ? '; server on one core, writers and readers on the other' : ''}\n`,
  );
  for (const [name, model, singular, path] of [
    ['all with the same events', 'EventItem', 'event_item', 'event_items'],
    ['each their own', 'OwnedItem', 'owned_item', 'owned_items'],
  ] as const) {
    const load = (): Promise<Measured> =>
      measure(service, {
        connections: 32,
        milliseconds: Number(options.ms),
        requests: writers.map((user) => create(singular, path, user)),
        expect: 201,
      });
    await load();
    const [without, followed]: [Measured[], Measured[]] = [[], []];
    let memory = 0;
    let came = '';
    for (let round = 0; round < Number(options.rounds); round += 1) {
      without.push(await load());
      const end = await followOn(service.port, model);
      followed.push(await load());
      memory = Math.max(memory, service.memory());
      came = await end();
    }
    const ratios = followed.map((each, index) => each.perSecond / (without[index]?.perSecond ?? 0));
    const alone = middle(without);
    const beside = middle(followed);
    process.stdout.write(
      `${name}: ${Math.round(alone.perSecond)}/s without, ${Math.round(beside.perSecond)}/s followed, ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), p99 ${alone.p99.toFixed(1)} and ${beside.p99.toFixed(1)} ms, memory ${Math.round(memory / 1e6)} MB; the last readers: ${came}\n`,
    );
  }
  await service.stop();
} finally {
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
