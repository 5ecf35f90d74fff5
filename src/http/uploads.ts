/** Folders for uploaded files, with limits for the process and for each caller, removed when the response is sent. */

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { overloaded, Problem } from '../kernel/problem.ts';

/** A file of a multipart body. It is removed with its folder when the response is sent. */
export interface UploadedFile {
  /** Name of its field in the body. */
  readonly field: string;
  /**
   * Name given by the caller: its last path segment without control characters; never a part of `path`. May be empty.
   */
  readonly filename: string;
  /** Media type given by the caller, in lower case without parameters; not verified. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Path of the file, whose name the service chooses; only the user of this process can read it. */
  readonly path: string;
}

/** Limit of the characters of a file name. */
const maxNameLength = 255;

/** Returns the last segment of a path of any operating system, without control and format characters. */
export const baseName = (given: string): string => {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replaceAll(/\p{Cc}|\p{Cf}/gu, '')
    .trim();
  const name = [...plain].slice(0, maxNameLength).join('');
  return name === '.' || name === '..' ? '' : name;
};

/**
 * Requests with files on disk at the same time: of the process, of all unidentified callers, and of one caller.
 * @limit Bodies | requests of a process whose files are on the disk | count | 503 `overloaded`
 */
const maxFolders = 64;
/** @limit Bodies | requests of all anonymous callers whose files are on the disk | count | 503 `overloaded` */
const maxUnidentifiedFolders = 32;
/** @limit Bodies | requests of one caller whose files are on the disk | count | 503 `overloaded` */
const maxFoldersPerCaller = 8;

const host = hostname()
  .replaceAll(/[^A-Za-z0-9.]/g, '_')
  .slice(0, 100);

/** Names of the folders in use by all servers of this process. */
const usedNames = new Set<string>();

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/**
 * Tells whether a folder was left by a process of this machine that has ended. That process may have had the id of this
 * one, as in a container.
 */
const isAbandoned = (name: string): boolean => {
  const [, machine, pid = ''] = /^(.+)-(\d{1,10})-[0-9a-f]{16}$/.exec(name) ?? [];
  if (machine !== host) return false;
  return Number(pid) === process.pid ? !usedNames.has(name) : !isAlive(Number(pid));
};

const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });

/** Errors of a resource of the system that is exhausted, maybe for a short time. */
const exhaustionCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** Returns the error of a failed write for the caller: `overloaded` for lack of space, else the error itself. */
export const diskProblem = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && exhaustionCodes.has(error.code) ? overloaded(error, 5) : error;

/** The caller for whom an upload counts. */
export interface Uploader {
  readonly caller: string | Promise<string>;
  readonly unidentified: boolean;
}

/** The folder for the files of one request. */
export interface UploadFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * The folders for uploaded files from their arrival to the response. Each request has one that only the user of this
 * process can open, within a folder of this server whose name contains host and process id. The folders of a killed
 * process are removed at the next start.
 */
export class UploadFolders {
  readonly #parent: string;
  readonly #name = `${host}-${process.pid}-${randomBytes(8).toString('hex')}`;
  readonly #report: (error: unknown) => void;
  readonly #counts = new Map<string, number>();
  #open = 0;
  #unidentified = 0;
  #number = 0;
  #isClosed = false;

  /** `parent` need not exist; `report` is called with the error when a folder cannot be removed. */
  constructor(parent: string, report: (error: unknown) => void) {
    this.#parent = parent;
    this.#report = report;
    usedNames.add(this.#name);
  }

  /** Removes the folders of processes that have ended. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#parent).catch(() => []);
    for (const name of names.filter(isAbandoned)) await this.#remove(join(this.#parent, name));
  }

  /** @throws Problem `overloaded` where too many are open already; Error where the disk takes none */
  async open({ caller, unidentified }: Uploader): Promise<UploadFolder> {
    const key = await caller;
    const ofCaller = this.#counts.get(key) ?? 0;
    const isFull = this.#open >= maxFolders || ofCaller >= maxFoldersPerCaller;
    if (isFull || (unidentified && this.#unidentified >= maxUnidentifiedFolders))
      throw overloaded(undefined, 5);
    if (this.#isClosed) throw new Problem('stopping', { headers: { 'Retry-After': '5' } });
    this.#counts.set(key, ofCaller + 1);
    this.#open += 1;
    if (unidentified) this.#unidentified += 1;
    const release = (): void => {
      const remaining = (this.#counts.get(key) ?? 1) - 1;
      if (remaining > 0) this.#counts.set(key, remaining);
      else this.#counts.delete(key);
      this.#open -= 1;
      if (unidentified) this.#unidentified -= 1;
    };
    this.#number += 1;
    const path = join(this.#parent, this.#name, String(this.#number));
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      release();
      throw diskProblem(error);
    }
    return { path, remove: () => this.#remove(path).finally(release) };
  }

  /** Removes the folder of this server, and opens no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#remove(join(this.#parent, this.#name));
    usedNames.delete(this.#name);
  }

  #remove(path: string): Promise<void> {
    return removeFolder(path).catch(this.#report);
  }
}
