/** A peer that runs on a copy of its data, with its users signed in. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expectStatus, people } from './answers.ts';
import { keysOf } from './check.ts';
import type { Installed } from './install.ts';
import type { Ask, Folders, Headers } from './peer.ts';
import type { Loaded } from './rounds.ts';
import { type Server, startServer } from './server.ts';

export interface Session extends Loaded {
  readonly installed: Installed;
  /** With the copy that it runs on. */
  readonly folders: Folders;
  readonly server: Server;
  /** Moment of the sign-ins, in milliseconds of `performance.now()`. */
  readonly signedAt: number;
}

/** Signs all users in, one after the other: they would wait for each other's password hash. */
const signInAll = async ({ peer }: Installed, { port }: Server): Promise<readonly Headers[]> => {
  const ask: Ask = async (asked, headers) => (await expectStatus(port, asked, headers)).body;
  const signed: Headers[] = [];
  for (const [number, user] of people.users.entries()) signed.push(await peer.signIn(ask, user, number));
  return signed;
};

/** @param work a folder for the copies of a run */
export const openSession = async (installed: Installed, work: string): Promise<Session> => {
  const { peer, node, folders } = installed;
  const data = join(work, peer.name.replaceAll(/\W+/g, '-'));
  cpSync(folders.data, data, { recursive: true });
  const own = { ...folders, data };
  const first = { method: 'GET', path: peer.detail(1) } as const;
  const server = await startServer({ peer, folders: own, node, first });
  const signedAt = performance.now();
  const callers = await signInAll(installed, server);
  const headers = callers[0] ?? {};
  return { peer, port: server.port, headers, callers, signedAt, installed, folders: own, server };
};

/** Milliseconds after which the users sign in again. The credentials of some products end after ten minutes. */
const freshMs = 5 * 60_000;

/** The session with credentials that are good for some minutes. */
export const signInAgain = async (session: Session, now = performance.now()): Promise<Session> => {
  if (now - session.signedAt < freshMs) return session;
  const callers = await signInAll(session.installed, session.server);
  return { ...session, headers: callers[0] ?? {}, callers, signedAt: now };
};

/**
 * Stops the server, starts it again, and stops it. Answers the milliseconds from the start of the process to the first
 * record that the user reads, with credentials from before.
 */
export const startAgain = async (session: Session, key: string | number): Promise<number> => {
  const { peer, folders, headers, installed } = session;
  const first = { method: 'GET', path: peer.detail(key) } as const;
  const server = await startServer({ peer, folders, node: installed.node, first, headers });
  await server.stop();
  return server.startup;
};

/** What a path names the first record by. */
export const firstKey = async (session: Session): Promise<string | number> =>
  (await keysOf(session, [1]))[0] ?? 1;
