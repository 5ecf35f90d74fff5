/**
 * Measures the service and the bare server, in turn, in one run on the same data, and prints one table.
 *
 *     npm run bench -- [--json] [--only=detail] [--database=sqlite|postgres] [--rounds=9] [--ms=1000]
 *
 * A ratio is the median of the pairs, with its quartiles; a target is met if the lower quartile meets it. With
 * `--beside=FOLDER`, a built checkout of an older version, both versions of the service are compared instead, case by
 * case, on two copies of the data, whose tables the older one has made.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, casesOf, shopOrders } from './cases.ts';
import { compare, type Row, type Setting, type Side } from './compare.ts';
import { startItems } from './crud.ts';
import { postgresData, sqliteData } from './data.ts';
import { measureProcess, type ProcessFigures } from './process.ts';
import { isPinned, type Running, startBare, startOther, startService } from './processes.ts';
import { startShop } from './shop.ts';
import { tableHead, tableRow } from './table.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '9' },
    ms: { type: 'string', default: '1000' },
    beside: { type: 'string', default: '' },
  },
});
const database = options.database === 'postgres' ? 'postgres' : 'sqlite';
const rounds = Number(options.rounds);
const milliseconds = Number(options.ms);
const isVersions = options.beside !== '';
const notes = 10_000;

const data = await (database === 'postgres' ? postgresData : sqliteData)({
  notes,
  maker: isVersions ? resolve(options.beside) : undefined,
});
const started: { stop: () => Promise<void> }[] = [{ stop: () => data.remove() }];
const running = async (starting: Promise<Running>): Promise<Running> => {
  const server = await starting;
  started.unshift(server);
  return server;
};

/** The two sides of a case; the other one is missing where there is nothing to compare with. */
const sidesOf = async (one: Case, ours: Running, bare: Running): Promise<readonly [Side, Side?]> => {
  const { requests } = one;
  const mine = { server: ours, requests };
  if (isVersions) return [mine, { server: bare, requests }];
  if (one.beside === 'nothing') return [mine];
  if (one.beside === 'other log level') {
    const verbose = await running(startService(data, { LOG_LEVEL: 'info' }));
    return [{ server: verbose, requests }, mine];
  }
  if (one.beside !== undefined) return [mine, { server: ours, requests: one.beside }];
  return [mine, { server: bare, requests }];
};

const print = (text: string): void => {
  if (!options.json) process.stdout.write(`${text}\n`);
};

const printProcess = ({ firstStart, start, idle, afterwards, requests }: ProcessFigures): void => {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  print(`first start to the first answer: ${whole(firstStart)} ms, later ones: ${whole(start)} ms`);
  print(
    `resident when idle: ${whole(idle / 1e6)} MB, after ${whole(requests)} requests: ${whole(afterwards / 1e6)} MB`,
  );
};

const rows: Row[] = [];
const report = (more: readonly Row[]): void => {
  rows.push(...more);
  for (const row of more) print(tableRow(row));
};

const setting: Setting = {
  ...{ data, database, rounds, milliseconds },
  databaseCpu: () => data.databaseCpu(),
  targets: !isVersions,
};

/** Starts of servers that only some cases need; the other version would need them twice. */
const pairs = {
  shop: () => startShop(database, shopOrders),
  items: () => startItems(database),
  'indexed items': () => startItems(database, true),
} as const;

const ofPair = async (servers: keyof typeof pairs, cases: readonly Case[]): Promise<void> => {
  if (cases.length === 0 || isVersions) return;
  const pair = await pairs[servers]();
  try {
    for (const one of cases) {
      const [ours, theirs] = await sidesOf(one, pair.service, pair.bare);
      report(await compare(one, ours, theirs, { ...setting, databaseCpu: pair.place.databaseCpu }));
    }
  } finally {
    await pair.remove();
  }
};

try {
  const chosen = casesOf(data, notes).filter(({ name }) => name.includes(options.only));
  for (const { prepare } of chosen) prepare?.();
  const bare = await running(isVersions ? startOther(data, resolve(options.beside)) : startBare(data));
  const service = await running(startService(data));
  print(`${database}, ${notes} notes; ${isPinned ? 'server and load on a core each' : 'not pinned'};`);
  print(`${rounds} rounds of ${milliseconds} ms, in turn\n\n${tableHead()}`);
  for (const one of chosen.filter(({ servers }) => servers === undefined)) {
    const [ours, theirs] = await sidesOf(one, service, bare);
    report(await compare(one, ours, theirs, setting));
  }
  for (const servers of ['shop', 'items', 'indexed items'] as const)
    await ofPair(
      servers,
      chosen.filter((one) => one.servers === servers),
    );
  print(`\nresident memory of the service at the end: ${Math.round(service.memory() / 1e6)} MB`);
  const figures = options.only === '' ? await measureProcess(data, notes) : undefined;
  if (figures !== undefined) printProcess(figures);
  const result = { database, pinned: isPinned, rounds, milliseconds, process: figures, rows };
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  for (const each of started) await each.stop();
}
