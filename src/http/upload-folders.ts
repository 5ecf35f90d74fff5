import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { overloaded, Problem } from '../kernel/problem.ts';

/** Requests whose files lie on the disk at one moment: of the process, of nobody known, of one caller. */
const most = 64;
const mostUnknown = 32;
const mostOfOne = 8;

const host = hostname()
  .replaceAll(/[^A-Za-z0-9.]/g, '_')
  .slice(0, 100);

/** Names of the folders that are in use in this process, of whichever server. */
const inUse = new Set<string>();

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // There is one, of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Whether a folder is what a process of this machine left that is gone. A namesake of ours is as well: in a container. */
const isLeft = (name: string): boolean => {
  const [, machine, pid = ''] = /^(.+)-(\d{1,10})-[0-9a-f]{16}$/.exec(name) ?? [];
  if (machine !== host) return false;
  return Number(pid) === process.pid ? !inUse.has(name) : !isAlive(Number(pid));
};

const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });

/** What the system lacks is nobody's mistake, and may pass. */
const lacking: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** What a failure to write a file is to the caller: there is no room now, or the service is broken. */
export const diskProblem = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && lacking.has(error.code) ? overloaded(error, 5) : error;

/** A caller as uploads are counted. */
export interface Uploader {
  readonly caller: string | Promise<string>;
  readonly unidentified: boolean;
}

/** A request's own folder for files, and how it is given back. */
export interface UploadFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Where uploaded files lie from their arrival to the answer: for each request a folder that nobody else can open, in one
 * of this server's, whose name says which process it belongs to. What a killed one leaves is removed at a next start.
 */
export class UploadFolders {
  readonly #parent: string;
  readonly #name = `${host}-${process.pid}-${randomBytes(8).toString('hex')}`;
  readonly #report: (error: unknown) => void;
  readonly #counts = new Map<string, number>();
  #open = 0;
  #unknown = 0;
  #number = 0;
  #closed = false;

  /** `parent` need not exist; `report` is told of what cannot be removed. */
  constructor(parent: string, report: (error: unknown) => void) {
    this.#parent = parent;
    this.#report = report;
    inUse.add(this.#name);
  }

  /** Removes what processes have left that are gone. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#parent).catch(() => []);
    for (const name of names.filter(isLeft)) await this.#remove(join(this.#parent, name));
  }

  /** @throws Problem `overloaded` where too many are open already; Error where the disk takes none */
  async open({ caller, unidentified }: Uploader): Promise<UploadFolder> {
    const who = await caller;
    const ofOne = this.#counts.get(who) ?? 0;
    if (this.#open >= most || ofOne >= mostOfOne || (unidentified && this.#unknown >= mostUnknown))
      throw overloaded(undefined, 5);
    if (this.#closed) throw new Problem('stopping', { headers: { 'Retry-After': '5' } });
    this.#counts.set(who, ofOne + 1);
    this.#open += 1;
    if (unidentified) this.#unknown += 1;
    const give = (): void => {
      const left = (this.#counts.get(who) ?? 1) - 1;
      if (left > 0) this.#counts.set(who, left);
      else this.#counts.delete(who);
      this.#open -= 1;
      if (unidentified) this.#unknown -= 1;
    };
    this.#number += 1;
    const path = join(this.#parent, this.#name, String(this.#number));
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      give();
      throw diskProblem(error);
    }
    return { path, remove: () => this.#remove(path).finally(give) };
  }

  /** Removes what is left, and opens no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#remove(join(this.#parent, this.#name));
    inUse.delete(this.#name);
  }

  #remove(path: string): Promise<void> {
    return removeFolder(path).catch(this.#report);
  }
}
