/** One run of `gatewright user import`: checks every line of a file, then creates the users. */

import {
  createUserInput,
  createUserStore,
  freeUsername,
  newUserOf,
  type ReadUser,
  usernameOfAddress,
} from '../../accounts/users.ts';
import { canonicalAccount } from '../../auth/account.ts';
import { isKnownHash, schemeNames } from '../../auth/hashes.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { catalogueOf } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { TableContext } from '../../ledger/context.ts';
import { FrameError } from '../../resources/operations.ts';
import { CommandError, type Io } from '../io.ts';
import { countText, Progress } from './progress.ts';
import type { Format } from './transfer-options.ts';
import { type UserLine, userLines } from './user-file.ts';

/** Users of one transaction: other writers of SQLite wait for it. */
const usersAtOnce = 200;

/** Refused lines that are shown; a file of a wrong form would fill the terminal. */
const maxShown = 100;

/** The options of the command line. */
export interface AskedUserImport {
  readonly path: string;
  readonly format: Format;
  readonly skipExisting: boolean;
  readonly check: boolean;
}

/** The result in numbers of lines. */
export interface UserImportResult {
  readonly created: number;
  readonly skipped: number;
}

const actor = { principal: 'command line', address: null } as const;

const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' ? value : undefined;
};

export class UserImport {
  readonly #io: Io;
  readonly #asked: AskedUserImport;
  readonly #database: Database;
  readonly #users: ReturnType<typeof createUserStore>;
  readonly #input: ReturnType<typeof createUserInput>;
  /** Names and addresses of the lines so far, in canonical form, with the line of each. */
  readonly #seen = { username: new Map<string, number>(), email: new Map<string, number>() };
  #refused = 0;

  constructor(io: Io, asked: AskedUserImport, context: TableContext & { readonly database: Database }) {
    this.#io = io;
    this.#asked = asked;
    this.#database = context.database;
    this.#users = createUserStore(context);
    this.#input = createUserInput(this.#users, catalogueOf('en'));
  }

  /** @throws CommandError, before anything is written if a line is refused */
  async run(): Promise<UserImportResult> {
    const { path, check } = this.#asked;
    const progress = new Progress(this.#io);
    try {
      const checked = await this.#checkAll(progress);
      if (this.#refused > 0) {
        const lines = this.#refused === 1 ? 'one line is' : `${countText(this.#refused)} lines are`;
        throw new CommandError(`${path}: ${lines} refused; nothing was imported`);
      }
      return check ? checked : await this.#writeAll(progress);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      throw new CommandError(`${path}: line ${error.line}: ${error.message}`, { cause: error });
    } finally {
      progress.clear();
    }
  }

  async #checkAll(progress: Progress): Promise<UserImportResult> {
    const counts = { created: 0, skipped: 0 };
    for await (const one of userLines(this.#asked.path, this.#asked.format)) {
      progress.state(() => `${this.#asked.path}: ${countText(one.line)} lines are checked`);
      const state = await this.#check(one);
      if (state !== 'refused') counts[state === 'new' ? 'created' : 'skipped'] += 1;
    }
    return counts;
  }

  async #check({ line, body }: UserLine): Promise<'new' | 'existing' | 'refused'> {
    if (typeof body === 'string') return this.#refuse(line, [body]);
    if (this.#asked.skipExisting && (await this.#exists(body))) return 'existing';
    const flaws = [...(await this.#flaws(body)), ...this.#repeated(line, body)];
    return flaws.length === 0 ? 'new' : this.#refuse(line, flaws);
  }

  #refuse(line: number, flaws: readonly string[]): 'refused' {
    this.#refused += 1;
    if (this.#refused <= maxShown) this.#io.warn(`${this.#asked.path}: line ${line}: ${flaws.join(', ')}`);
    if (this.#refused === maxShown + 1) this.#io.warn('further lines are refused');
    return 'refused';
  }

  /** The body as the form of users reads it: a user without a password, as an invited one. */
  #read({ password_hash: _hash, ...body }: JsonObject): Promise<ReadUser> {
    const email = textIn(body, 'email');
    const isMade = body['username'] === undefined && email !== undefined;
    const named = isMade ? { ...body, username: usernameOfAddress(email) } : body;
    return this.#input.read({ ...named, invite: true }, 'create');
  }

  async #flaws(body: JsonObject): Promise<readonly string[]> {
    const { errors } = await this.#read(body);
    const isMade = body['username'] === undefined;
    // A made username gets another ending where a user has it.
    const flaws = errors.filter(({ field }) => !isMade || field !== 'username').map(({ message }) => message);
    const hash = body['password_hash'] ?? '';
    const isKnown = hash === '' || (typeof hash === 'string' && isKnownHash(hash));
    // The hash itself is a secret, and so is each part of it.
    if (!isKnown) flaws.push(`password_hash is no hash of ${schemeNames.join(', ')} within the limits`);
    return flaws;
  }

  #repeated(line: number, body: JsonObject): readonly string[] {
    const flaws: string[] = [];
    for (const name of ['username', 'email'] as const) {
      const text = textIn(body, name);
      if (text === undefined) continue;
      const canonical = canonicalAccount(text);
      const first = this.#seen[name].get(canonical);
      if (first === undefined) this.#seen[name].set(canonical, line);
      else flaws.push(`${name} stands in line ${first} already`);
    }
    return flaws;
  }

  /** True if a user has the username of a line, or its address where the line has none. */
  async #exists(body: JsonObject): Promise<boolean> {
    const [username, email] = [textIn(body, 'username'), textIn(body, 'email')];
    const account = username ?? email;
    return account !== undefined && (await this.#users.idByAccount(canonicalAccount(account))) !== undefined;
  }

  async #writeAll(progress: Progress): Promise<UserImportResult> {
    const result = { created: 0, skipped: 0 };
    let waiting: UserLine[] = [];
    const write = async (): Promise<void> => {
      const lines = waiting;
      waiting = [];
      const created = await this.#writeLines(lines, result.created);
      result.created += created;
      result.skipped += lines.length - created;
      progress.state(() => `${this.#asked.path}: ${countText(result.created)} users are created`);
    };
    for await (const one of userLines(this.#asked.path, this.#asked.format)) {
      waiting.push(one);
      if (waiting.length === usersAtOnce) await write();
    }
    await write();
    return result;
  }

  /** Creates the users of some lines, all or none. Returns their number without those that exist. */
  #writeLines(lines: readonly UserLine[], before: number): Promise<number> {
    return this.#database.write(async (transaction) => {
      let created = 0;
      for (const { line, body } of lines) {
        if (typeof body === 'string') throw new CommandError('the file has changed since it was checked');
        if (this.#asked.skipExisting && (await this.#exists(body))) continue;
        await this.#create(body, transaction).catch((error: unknown) => {
          if (!(error instanceof Problem) || error.errors === undefined) throw error;
          const flaws = error.errors.map(({ message }) => message).join(', ');
          throw new CommandError(
            `${this.#asked.path}: line ${line}: ${flaws}; ${countText(before)} users were created before: continue with --skip-existing`,
            { cause: error },
          );
        });
        created += 1;
      }
      return created;
    });
  }

  async #create(body: JsonObject, transaction: Transaction): Promise<void> {
    const read = await this.#read(body);
    const hash = textIn(body, 'password_hash') ?? '';
    const values = newUserOf(read, hash);
    const isMade = body['username'] === undefined;
    const tables = tablesOf(this.#database);
    const username = isMade ? await freeUsername({ transaction, tables }, values.username) : values.username;
    const named = { username, usernameCanonical: canonicalAccount(username) };
    const name = values.name === values.username ? username : values.name;
    await this.#input.save(() => this.#users.create({ ...values, ...named, name }, actor, transaction));
  }
}
