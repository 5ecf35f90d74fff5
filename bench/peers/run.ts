/**
 * The service and a bare server beside products of the same kind: the same model, rows and 32 users, a SQLite file,
 * production mode, one core, in turn, in one run. Prints the tables of `docs/contributing/speed.md`; what goes on is told on stderr.
 *
 *     npm run bench:peers -- [--only=strapi,nest] [--rounds=7] [--ms=1500] [--warmup=3000] [--starts=5] [--cache=FOLDER]
 *
 * What is installed and prepared stays in the folder (`BENCH_PEERS` as well; one below the system's temporary folder
 * unless told) and is taken up again as long as nothing of it changes. Content that differs ends the run; one that cannot
 * be installed has its row with the reason, and the status is 1 at the end.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { spread } from '../callers.ts';
import type { Measured } from '../measure.ts';
import { isPinned } from '../processes.ts';
import { checkAnswers } from './check.ts';
import { type Installed, install } from './install.ts';
import { rowCount } from './product.ts';
import { ours, peers } from './registry.ts';
import { casesOver, connections, inTurns } from './rounds.ts';
import { endAll } from './server.ts';
import { firstKey, openSession, type Session, signInAgain, startAgain } from './session.ts';
import { type Outcome, tables } from './table.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
    ms: { type: 'string', default: '1500' },
    warmup: { type: 'string', default: '3000' },
    starts: { type: 'string', default: '5' },
    cache: { type: 'string', default: process.env['BENCH_PEERS'] ?? join(tmpdir(), 'gatewright-peers') },
  },
});
const pace = {
  rounds: Number(options.rounds),
  milliseconds: Number(options.ms),
  warmup: Number(options.warmup),
};
const names = options.only.toLowerCase().split(',').filter(Boolean);
const chosen = peers.filter(
  (peer) =>
    peer === ours || names.length === 0 || names.some((name) => peer.name.toLowerCase().includes(name)),
);
const size = 20;
const checkedIds = spread(50, rowCount);
const checkedPages = Array.from({ length: 20 }, (_, index) => ({ page: index + 1, size, total: true }));
const cases = casesOver(
  spread(320, rowCount),
  spread(320, rowCount / size).map((page) => ({ page, size, total: true })),
);
/** Milliseconds of nothing, after which memory counts as that of an idle server. */
const settled = 3_000;

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Everyone who can be had, and the rows of those who cannot. */
const installAll = async (): Promise<{ installed: readonly Installed[]; missing: readonly Outcome[] }> => {
  const [installed, missing]: [Installed[], Outcome[]] = [[], []];
  mkdirSync(options.cache, { recursive: true });
  for (const peer of chosen) {
    say(`${peer.name}: installing and preparing in ${options.cache}`);
    try {
      installed.push(await install(options.cache, peer, rowCount));
    } catch (error) {
      say(`${peer.name}: not installed: ${messageOf(error)}`);
      missing.push({ peer, missing: messageOf(error) });
    }
  }
  return { installed, missing };
};

type Results = Map<string, Map<string, readonly Measured[]>>;

const loadAll = async (sessions: readonly Session[]): Promise<Results> => {
  const results: Results = new Map(sessions.map(({ peer }) => [peer.name, new Map()]));
  let signed = sessions;
  for (const one of cases) {
    say(`measuring ${one.name}`);
    const again: Session[] = [];
    for (const session of signed) again.push(await signInAgain(session));
    signed = again;
    for (const [name, rounds] of await inTurns(one, signed, pace)) results.get(name)?.set(one.name, rounds);
  }
  return results;
};

/** Milliseconds of some starts each, in turn; everyone is stopped before and after. */
const startAll = async (sessions: readonly Session[]): Promise<ReadonlyMap<string, readonly number[]>> => {
  say('measuring starts');
  const ready: (readonly [Session, string | number])[] = [];
  for (const session of sessions) {
    const signed = await signInAgain(session);
    ready.push([signed, await firstKey(signed)]);
  }
  await Promise.all(sessions.map(({ server }) => server.stop()));
  const starts = new Map<string, number[]>(sessions.map(({ peer }) => [peer.name, []]));
  for (let round = 0; round < Number(options.starts); round += 1)
    for (const [session, key] of ready) starts.get(session.peer.name)?.push(await startAgain(session, key));
  return starts;
};

const memoryOf = (sessions: readonly Session[]): ReadonlyMap<string, number> =>
  new Map(sessions.map(({ peer, server }) => [peer.name, server.memory()]));

const measureAll = async (installed: readonly Installed[], work: string): Promise<readonly Outcome[]> => {
  const sessions: Session[] = [];
  for (const each of installed) sessions.push(await openSession(each, work));
  await delay(settled);
  const idle = memoryOf(sessions);
  for (const session of sessions) {
    say(`${session.peer.name}: comparing answers`);
    await checkAnswers(session, [...checkedPages, { page: 1, size, total: false }], checkedIds);
  }
  const results = await loadAll(sessions);
  const afterwards = memoryOf(sessions);
  const starts = await startAll(sessions);
  return sessions.map(({ peer, installed: { durability } }) => ({
    ...{ peer, durability, node: peer.node ?? process.version.slice(1) },
    results: results.get(peer.name) ?? new Map(),
    starts: starts.get(peer.name) ?? [],
    memory: { idle: idle.get(peer.name) ?? 0, afterwards: afterwards.get(peer.name) ?? 0 },
  }));
};

const heading = (load: number): string =>
  [
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}),`,
    `${isPinned ? 'server and load on a core each' : 'not pinned'}; ${rowCount.toLocaleString('en')} rows, ${connections} connections,`,
    `${pace.rounds} rounds of ${pace.milliseconds} ms, in turn; load of the machine before: ${load.toFixed(1)}.`,
  ].join('\n');

const work = mkdtempSync(join(tmpdir(), 'gatewright-peers-run-'));
let cutOff = false;
const leave = async (): Promise<void> => {
  await endAll();
  rmSync(work, { recursive: true, force: true });
};
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)
  process.once(signal, () => {
    cutOff = true;
    void leave().then(() => process.exit(128 + number));
  });

try {
  const { installed, missing } = await installAll();
  const load = loadavg()[0] ?? 0;
  const outcomes = [...(await measureAll(installed, work)), ...missing];
  const names = cases.map(({ name }) => name);
  process.stdout.write(`${heading(load)}\n\n${tables(outcomes, names, ours.name)}\n`);
  if (missing.length > 0) process.exitCode = 1;
} catch (error) {
  // Whatever still waits for a server that was ended fails by that.
  if (!cutOff) say(messageOf(error));
  process.exitCode = 1;
} finally {
  await leave();
}
