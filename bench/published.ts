/**
 * Requests in the shape of benchmarks that other products have published: rates of this service on this machine,. 32
 * users ask for different records.
 *
 *     npm run bench:published -- [--rounds=3] [--ms=3000] [--only=trailbase|pocketbase|postgrest]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callers, spread } from './callers.ts';
import { root, token } from './data.ts';
import { measure, middle } from './measure.ts';
import { moreReaders, numbers, placeOn } from './place.ts';
import { type Running, start } from './processes.ts';
import { numbered, request } from './request.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    ms: { type: 'string', default: '3000' },
  },
});

interface Shape {
  readonly product: 'trailbase' | 'pocketbase' | 'postgrest';
  readonly name: string;
  readonly connections: number;
  readonly requests: readonly string[];
  readonly expect: number;
}

const postCount = 100_000;
/** Pages are asked for from the beginning of the list, as a page by number has to count its way. */
const firstPages = 50;
const artistCount = 275;
const rooms = callers;

const authorization = (caller: number): readonly string[] => [
  `Authorization: Bearer ${token(2 + (caller % callers))}`,
];
const gets = (paths: readonly string[]): readonly string[] =>
  paths.map((path, index) => request('GET', `/api/v1/${path}`, authorization(index)));
const writes = (method: string, paths: readonly string[], bodyOf: (index: number) => object) =>
  paths.map((path, index) =>
    numbered(method, `/api/v1/${path}`, authorization(index), JSON.stringify(bodyOf(index))),
  );
const repeated = (path: string): readonly string[] => Array.from({ length: callers }, () => path);

/** A text of 500 characters. */
const description = 'Some words of a post about nothing at all. '.repeat(12).slice(0, 500);

/** The room of a caller's next message: in turn two of the three that they are members of. */
const roomOf = (index: number): number => 1 + ((index + 1 + Math.floor(index / callers)) % rooms);

const shapes: readonly Shape[] = [
  {
    product: 'trailbase',
    name: 'creates of a message in a room',
    connections: 64,
    requests: writes('POST', [...repeated('messages'), ...repeated('messages')], (index) => ({
      message: { room_id: roomOf(index), data: 'a message {n}' },
    })),
    expect: 201,
  },
  {
    product: 'pocketbase',
    name: 'creates of a post',
    connections: 500,
    requests: writes('POST', repeated('posts'), (index) => ({
      post: { title: 'Post {n}', description, public: index % 2 === 1, type: ['a', 'c'] },
    })),
    expect: 201,
  },
  {
    product: 'pocketbase',
    name: 'one of the first 50 pages of 100,000 posts, with the total',
    connections: 500,
    requests: gets(spread(800, firstPages).map((page) => `posts?page=${page}&per_page=20`)),
    expect: 200,
  },
  {
    product: 'pocketbase',
    name: 'one of the first 50 pages of 100,000 posts, without a total',
    connections: 500,
    requests: gets(spread(800, firstPages).map((page) => `posts?page=${page}&per_page=20&total=none`)),
    expect: 200,
  },
  {
    product: 'postgrest',
    name: 'one artist by its id',
    connections: 50,
    requests: gets(spread(3_200, artistCount).map((id) => `artists/${id}`)),
    expect: 200,
  },
  {
    product: 'postgrest',
    name: 'updates of an artist',
    connections: 50,
    requests: writes(
      'PATCH',
      spread(3_200, artistCount).map((id) => `artists/${id}`),
      () => ({ artist: { name: 'Artist {n}' } }),
    ),
    expect: 200,
  },
  {
    product: 'postgrest',
    name: 'creates of an artist',
    connections: 50,
    requests: writes('POST', repeated('artists'), () => ({ artist: { name: 'Artist {n}' } })),
    expect: 201,
  },
];

const rows = (now: string): readonly string[] => {
  const types = now === 'now()' ? `'["a", "c"]'::jsonb` : `'["a","c"]'`;
  return [
    ...moreReaders(now),
    `insert into rooms (name, created_at, updated_at) ${numbers(rooms)} select 'Room ' || i, ${now}, ${now} from n`,
    `insert into memberships (room_id, user_id, created_at, updated_at)
     ${numbers(rooms * 3)} select 1 + (i + i / ${callers}) % ${rooms}, 2 + i % ${callers}, ${now}, ${now} from n`,
    `insert into posts (title, description, public, type, user_id, created_at, updated_at)
     ${numbers(postCount)} select 'Post ' || i, '${description}', i % 2 = 1, ${types}, 2 + i % ${callers},
       ${now}, ${now} from n`,
    `insert into artists (name, created_at, updated_at)
     ${numbers(artistCount)} select 'Artist ' || i, ${now}, ${now} from n`,
  ];
};

const measureShape = async (service: Running, shape: Shape, cpu: () => number): Promise<void> => {
  const { connections, requests, expect } = shape;
  const job = { connections, requests, expect, milliseconds: Number(options.ms) };
  await measure(service, job, cpu);
  const measured = [];
  for (let round = 0; round < Number(options.rounds); round += 1)
    measured.push(await measure(service, job, cpu));
  const { perSecond, p50, p99, cpu: own, databaseCpu } = middle(measured);
  const cells = [
    shape.product,
    shape.name,
    String(connections),
    Math.round(perSecond).toLocaleString('en'),
    `${p50.toFixed(1)} / ${p99.toFixed(1)}`,
    databaseCpu === 0 ? own.toFixed(0) : `${own.toFixed(0)} + ${databaseCpu.toFixed(0)}`,
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

const measureOn = async (database: 'sqlite' | 'postgres', chosen: readonly Shape[]): Promise<void> => {
  if (chosen.length === 0) return;
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-published-'));
  const application = join(root, 'bench/published');
  const place = await placeOn(database, { directory, application, rows });
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  let service: Running | undefined;
  try {
    service = await start('gatewright', command, place.env, application);
    for (const shape of chosen) await measureShape(service, shape, place.databaseCpu);
  } finally {
    await service?.stop();
    await place.remove();
    rmSync(directory, { recursive: true, force: true });
  }
};

process.stdout.write('| shape of | requests | connections | req/s | p50 / p99 ms | CPU µs (+ database) |\n');
process.stdout.write('| --- | --- | --- | --- | --- | --- |\n');
const chosen = shapes.filter(({ product }) => product.includes(options.only));
await measureOn(
  'sqlite',
  chosen.filter(({ product }) => product !== 'postgrest'),
);
await measureOn(
  'postgres',
  chosen.filter(({ product }) => product === 'postgrest'),
);
