/**
 * Durable creates per second of a model without events, compared with `events`, with `history`, with both, and with a
 * subscribed webhook; in turn, in one run.
 *     npm run bench:events -- [--database=sqlite|postgres] [--rounds=7] [--ms=1000] [--connections=32]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callers } from './callers.ts';
import { commandLine, password, root, token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { moreReaders, placeOn } from './place.ts';
import { isPinned, onCore, start } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '7' },
    ms: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '32' },
  },
});
const application = join(root, 'bench/events-app');
const kinds = ['plain', 'event', 'kept', 'both'] as const;

const create = (kind: string, user: number): string => {
  const values = { title: 'Item {n}', amount: 12, note: 'as it is written by hand', due: '2026-11-22' };
  const body = JSON.stringify({ [`${kind}_item`]: values });
  return [
    `POST /api/v1/${kind}_items HTTP/1.1\r\n`,
    'Host: 127.0.0.1\r\n',
    `Authorization: Bearer ${token(user)}\r\n`,
    'Content-Type: application/json\r\n',
    // The inserted number has nine digits, its placeholder has three.
    `Content-Length: ${body.length + 6}\r\n`,
    `\r\n${body}`,
  ].join('');
};

/** Ids of users: those who create, of whom the first owns the webhook, and an administrator. */
const creators = Array.from({ length: callers }, (_, index) => 2 + index);
const reader = 2;
const boss = 2 + callers;

/** A receiver that accepts everything, on the core of the load generator. */
const startReceiver = async (): Promise<{ readonly port: number; readonly stop: () => void }> => {
  const [program, args] = onCore(1, process.execPath, ['bench/receiver.ts']);
  const child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(line.toString()), stop: () => child.stdin.end() };
};

const administer = async (port: number, method: string, path: string, webhook: object): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/webhooks${path}`, {
    method,
    headers: { Authorization: `Bearer ${token(boss)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ webhook }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`no webhook: ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: { id: number } }).data.id;
};

const directory = mkdtempSync(join(tmpdir(), 'gatewright-events-'));
const place = await placeOn(options.database, { directory, application, rows: moreReaders });
try {
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const admin = ['--username', 'boss', '--email', 'boss@example.com', '--role', 'super_admin'];
  commandLine(place.env, application)(['user', 'create', ...admin, '--password-stdin'], password);
  const receiver = await startReceiver();
  const env = { ...place.env, WEBHOOK_PRIVATE: '1' };
  const service = await start('gatewright', command, env, application);
  const load = (kind: string): Promise<Measured> =>
    measure(service, {
      connections: Number(options.connections),
      milliseconds: Number(options.ms),
      requests: creators.map((user) => create(kind, user)),
      expect: 201,
    });
  process.stdout.write(
    `${options.database}, ${options.connections} connections${isPinned ? '; server and load on a core each' : ''}\n`,
  );
  const rounds = Number(options.rounds);
  const tell = (name: string, measured: readonly Measured[], beside: readonly Measured[]): void => {
    const { perSecond, p50, p99, cpu } = middle(measured);
    const ratios = measured.map((each, index) => each.perSecond / (beside[index]?.perSecond ?? 0));
    process.stdout.write(
      `${name}: ${Math.round(perSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${Math.round(cpu)} µs CPU, ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})\n`,
    );
  };
  const results = new Map<string, Measured[]>(kinds.map((kind) => [kind, []]));
  for (const kind of kinds) await load(kind);
  for (let round = 0; round < rounds; round += 1)
    for (const kind of kinds) results.get(kind)?.push(await load(kind));
  for (const [kind, measured] of results) tell(kind, measured, results.get('plain') ?? []);
  // Unsent messages would be sent during the next measurement: these creates have no webhook.
  const path = `/${await administer(service.port, 'POST', '', {
    ...{ url: `http://127.0.0.1:${receiver.port}/`, models: ['HookedItem'], user_id: reader },
  })}`;
  // By now the sending code is compiled.
  await load('hooked');
  await delay(3_000);
  const [without, subscribed]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < rounds; round += 1)
    for (const [disabled, into] of [
      [true, without],
      [false, subscribed],
    ] as const) {
      await administer(service.port, 'PATCH', path, { disabled });
      await delay(500);
      into.push(await load('hooked'));
    }
  const counted = async (state: string): Promise<string | null> => {
    const query = `${path}/deliveries?filter[state]=${state}&per_page=1&page=1`;
    const answer = await fetch(`http://127.0.0.1:${service.port}/admin/webhooks${query}`, {
      headers: { Authorization: `Bearer ${token(boss)}` },
    });
    await answer.text();
    return answer.headers.get('x-total-count');
  };
  const sent = `${await counted('delivered')} delivered meanwhile, ${await counted('waiting')} wait`;
  tell('events, webhook disabled', without, without);
  tell(`events, webhook subscribed (${sent})`, subscribed, without);
  receiver.stop();
  await service.stop();
} finally {
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
