/** A peer that runs on a copy of its data, with its user signed in. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expectStatus } from './answers.ts';
import { keysOf, type Signed } from './check.ts';
import type { Installed } from './install.ts';
import type { Folders, Headers } from './peer.ts';
import { type Server, startServer } from './server.ts';

export interface Session extends Signed {
  readonly installed: Installed;
  /** With the copy that it runs on. */
  readonly folders: Folders;
  readonly server: Server;
}

const headersOf = ({ peer }: Installed, { port }: Server): Promise<Headers> =>
  peer.signIn(async (asked, headers) => (await expectStatus(port, asked, headers)).body);

/** @param work a folder for the copies of a run */
export const openSession = async (installed: Installed, work: string): Promise<Session> => {
  const { peer, node, folders } = installed;
  const data = join(work, peer.name.replaceAll(/\W+/g, '-'));
  cpSync(folders.data, data, { recursive: true });
  const own = { ...folders, data };
  const first = { method: 'GET', path: peer.detail(1) } as const;
  const server = await startServer({ peer, folders: own, node, first });
  const headers = await headersOf(installed, server);
  return { peer, port: server.port, headers, installed, folders: own, server };
};

/** With credentials that have just begun: some end after some minutes. */
export const signInAgain = async (session: Session): Promise<Session> => ({
  ...session,
  headers: await headersOf(session.installed, session.server),
});

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
