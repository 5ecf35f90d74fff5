/**
 * Milliseconds of the first page of a full-text search, and of processor time (the service's and the database's), by how
 * many of the records match.
 *     npm run bench:search -- [--database=sqlite|postgres] [--records=100000] [--rounds=15]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callers } from './callers.ts';
import { root, token } from './data.ts';
import { quantile } from './measure.ts';
import { moreReaders, numbers, placeOn } from './place.ts';
import { start } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    records: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '15' },
  },
});
const records = Number(options.records);
const rounds = Number(options.rounds);
const application = join(root, 'bench/search-app');

/** Sentences of twenty words, of which some are far more frequent than others. */
const sentences = Array.from({ length: 5_000 }, (_, row) =>
  Array.from({ length: 20 }, (_, place) => {
    const share = ((row * 7919 + place * 104_729) % 9973) / 9973;
    return `w${Math.floor(share ** 3 * 20_000).toString(36)}`;
  }).join(' '),
);

/** Words by the share of the records that have them. */
const shares = { half: 2, fifth: 5, twentieth: 20, hundredth: 100, rare: 20_000 } as const;

const marks = Object.entries(shares)
  .map(([word, share]) => `case when i % ${share} = 0 then ' ${word}' else '' end`)
  .join(' || ');

const rows = (now: string): readonly string[] => [
  ...moreReaders(now),
  'create table sentences (id integer primary key, text text)',
  `insert into sentences values ${sentences.map((text, id) => `(${id}, '${text}')`).join(', ')}`,
  ...['articles', 'own_articles'].map(
    (table) => `insert into ${table} (title, body, user_id, created_at, updated_at)
      ${numbers(records)} select 'Article ' || i || substr(one.text, 1, 20),
        one.text || ' ' || other.text || ${marks}, 2 + i / 2 % 32, ${now}, ${now}
      from n join sentences one on one.id = i * 31 % 5000 join sentences other on other.id = i * 17 % 4999`,
  ),
];

const queries = [
  ...Object.keys(shares).map((word) => ({ name: word, q: word })),
  { name: 'half and rare', q: 'half rare' },
  { name: 'fifth and half', q: 'fifth half' },
  { name: 'beginning with one letter', q: 'w' },
  { name: 'beginning of half', q: 'hal' },
  { name: 'none', q: 'zebra' },
];

const directory = mkdtempSync(join(tmpdir(), 'gatewright-search-'));
const filling = performance.now();
const place = await placeOn(options.database, { directory, application, rows });
process.stdout.write(
  `${records} records, filled in ${Math.round((performance.now() - filling) / 1000)} s\n\n`,
);
try {
  const service = await start(
    'gatewright',
    [join(root, 'bin/gatewright.js'), 'start'],
    place.env,
    application,
  );
  try {
    const cpu = (): number => service.cpu() + place.databaseCpu();
    /** The next of 32 users sends each request. */
    let sent = 0;
    const authorization = (): string => `Bearer ${token(2 + (sent++ % callers))}`;
    const timed = async (path: string) => {
      const began = performance.now();
      const before = cpu();
      const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
        headers: { Authorization: authorization() },
      });
      await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      const ms = performance.now() - began;
      return { ms, cpuMs: (cpu() - before) * 1000, total: response.headers.get('x-total-count') };
    };
    const create = async (table: string): Promise<void> => {
      const response = await fetch(`http://127.0.0.1:${service.port}/api/v1/${table}`, {
        method: 'POST',
        headers: { Authorization: authorization(), 'Content-Type': 'application/json' },
        body: JSON.stringify({ [table.slice(0, -1)]: { title: 'New', body: 'Nothing of the words' } }),
      });
      if (!response.ok) throw new Error(`${table}: ${response.status} ${await response.text()}`);
    };
    process.stdout.write(
      '| query | total | articles, ms | at most | processor | own articles, ms | at most | processor |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n',
    );
    for (const { name, q } of queries) {
      const cells: string[] = [];
      for (const table of ['articles', 'own_articles']) {
        const times: number[] = [];
        let spent = 0;
        for (let round = 0; round < rounds; round += 1) {
          // After a write no total is taken from a cache.
          await create(table);
          const { ms, cpuMs, total } = await timed(`/api/v1/${table}?q=${encodeURIComponent(q)}&per_page=20`);
          times.push(ms);
          spent += cpuMs;
          if (round === 0 && table === 'articles') cells.push(String(total));
        }
        cells.push(
          quantile(times, 0.5).toFixed(1),
          Math.max(...times).toFixed(1),
          (spent / rounds).toFixed(1),
        );
      }
      process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`);
    }
  } finally {
    await service.stop();
  }
} finally {
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
