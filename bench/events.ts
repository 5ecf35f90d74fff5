/**
 * Durable creates a second of a model that tells nobody, beside the same with `events`, with `history`, with both, and
 * with a webhook subscribed; in turn, in one run.
 *
 *     npm run bench:events -- [--database=sqlite|postgres] [--rounds=7] [--ms=1000] [--connections=32]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { placeOn } from './place.ts';
import { pinned, start } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '7' },
    ms: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '32' },
  },
});
const application = join(root, 'bench/told');
const kinds = ['plain', 'told', 'kept', 'both'] as const;

const create = (kind: string): string => {
  const values = { title: 'Item {n}', amount: 12, note: 'as it is written by hand', due: '2026-11-22' };
  const body = JSON.stringify({ [`${kind}_item`]: values });
  return [
    `POST /api/v1/${kind}_items HTTP/1.1\r\n`,
    'Host: 127.0.0.1\r\n',
    `Authorization: Bearer ${token(2)}\r\n`,
    'Content-Type: application/json\r\n',
    // The number that is put in has nine digits where its place has three.
    `Content-Length: ${body.length + 6}\r\n`,
    `\r\n${body}`,
  ].join('');
};

const directory = mkdtempSync(join(tmpdir(), 'gatewright-events-'));
const place = await placeOn(options.database, { directory, application, rows: () => [] });
try {
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const service = await start('gatewright', command, place.env, application);
  const load = (kind: string): Promise<Measured> =>
    measure(service, {
      connections: Number(options.connections),
      milliseconds: Number(options.ms),
      requests: [create(kind)],
      expect: 201,
    });
  process.stdout.write(
    `${options.database}, ${options.connections} connections${pinned ? '; server and load on a core each' : ''}\n`,
  );
  const results = new Map<string, Measured[]>(kinds.map((kind) => [kind, []]));
  for (const kind of kinds) await load(kind);
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const kind of kinds) results.get(kind)?.push(await load(kind));
  const plain = results.get('plain') ?? [];
  for (const [kind, rounds] of results) {
    const { perSecond, p50, p99, cpu } = middle(rounds);
    const ratios = rounds.map((each, index) => each.perSecond / (plain[index]?.perSecond ?? 0));
    process.stdout.write(
      `${kind}: ${Math.round(perSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${Math.round(cpu)} µs CPU, ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})\n`,
    );
  }
  await service.stop();
} finally {
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
