/** `gatewright access`: who can do what, in words; the lock file of that, and what has changed since it was written. */

import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { applicationPolicy } from '../../access/application-policy.ts';
import { type AccessChanges, changesBetween } from '../../access/changes.ts';
import { LockFileError, lockText, readLock } from '../../access/lock-file.ts';
import type { Policy } from '../../access/policy.ts';
import {
  changesJson,
  changesLines,
  checkOutcome,
  orderedChanges,
  policyJson,
  policyLines,
} from '../../access/report.ts';
import { sarifOf } from '../../access/sarif.ts';
import { widerShapes } from '../../access/shapes.ts';
import { AccessWords } from '../../access/words.ts';
import { type Application, loadApplication } from '../../app/application.ts';
import { packageVersion } from '../../app/version.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import { locales, type ServiceLocale } from '../../kernel/messages.ts';
import { fileOf, pathOf } from '../../resources/application-endpoints.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { replaceFiles, shownPath } from '../scaffold/files.ts';

/** Name of the lock file, in the application's folder. */
const lockName = 'access.lock';

/** The exit status of a check that could not be done, or not be decided. */
const undecidedStatus = 2;

interface Given {
  readonly lock?: boolean | undefined;
  readonly check?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly against?: string | undefined;
  readonly sarif?: string | undefined;
  readonly lang?: string | undefined;
}

const languageOf = ({ lang = 'en' }: Given): ServiceLocale => {
  const found = locales.find((locale) => locale === lang || locale.split('-')[0] === lang);
  if (found === undefined) throw new UsageError(`--lang is one of ${locales.join(', ')}, not '${lang}'`);
  return found;
};

/** Refuses options that need another one. @throws UsageError */
const checkOptions = (given: Given): void => {
  if (given.lock === true && given.check === true)
    throw new UsageError('--lock writes the file that --check reads: choose one');
  if (given.lock === true && given.json === true) throw new UsageError('--lock prints no JSON');
  for (const name of ['against', 'sarif'] as const)
    if (given[name] !== undefined && given.check !== true) throw new UsageError(`--${name} needs --check`);
};

interface Opened {
  readonly folder: string;
  readonly application: Application;
  readonly policy: Policy;
}

const open = async (): Promise<Opened> => {
  const folder = await applicationFolder();
  const application = await loadApplication(folder);
  return { folder, application, policy: applicationPolicy(application) };
};

/** Opens the application, or reads the lock file; a check that cannot has an exit status of its own. */
const orUndecided = async <Result>(step: () => Promise<Result>, sentence: string): Promise<Result> => {
  try {
    return await step();
  } catch (cause) {
    throw new CommandError(`${sentence}: ${errorMessage(cause)}`, { cause, status: undecidedStatus });
  }
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const readLockFile = async (file: string): Promise<Policy> => {
  try {
    return readLock(await readFile(file, 'utf8'));
  } catch (error) {
    if (isMissing(error))
      throw new LockFileError('there is no such file: gatewright access --lock writes it');
    throw error;
  }
};

const filesOfEndpoints = ({ endpoints }: Application): ReadonlyMap<string, string> =>
  new Map(
    endpoints.flatMap((endpoint) => {
      const file = fileOf(endpoint);
      return file === undefined ? [] : [[`${endpoint.method} ${pathOf(endpoint.path)}`, file] as const];
    }),
  );

/** The end of a check: nothing where nothing changed. @throws CommandError */
const end = (changes: AccessChanges, shown: string): void => {
  const { gained, lost, undecided } = orderedChanges(changes);
  const code = changes.code.filter(({ state }) => state !== 'same').length;
  const counts = `gained: ${gained.length}, lost: ${lost.length}, not decided: ${undecided.length + code}`;
  const accept = 'gatewright access --lock accepts the changes';
  switch (checkOutcome(changes)) {
    case 'unchanged':
      return;
    case 'changed':
      throw new CommandError(`access differs from ${shown} (${counts}); ${accept}`);
    case 'undecided':
      throw new CommandError(
        `access differs from ${shown}, and code or a condition is not decided (${counts}); ${accept}`,
        {
          status: undecidedStatus,
        },
      );
  }
};

const check = async (given: Given, io: Io): Promise<void> => {
  const { folder, application, policy } = await orUndecided(open, 'nothing was compared');
  const lock = given.against === undefined ? join(folder, lockName) : resolve(given.against);
  const shown = given.against ?? shownPath(folder, lockName);
  const before = await orUndecided(() => readLockFile(lock), shown);
  const changes = changesBetween(before, policy);
  const words = new AccessWords(application.models, languageOf(given));
  const shapes = widerShapes(before.shapes, policy.shapes);
  if (given.sarif !== undefined) {
    const places = { folder, endpoints: filesOfEndpoints(application), lock: join(folder, lockName) };
    const log = await sarifOf(changes, words, places, await packageVersion());
    const file = resolve(given.sarif);
    const text = `${JSON.stringify(log, undefined, 2)}\n`;
    const write = () => replaceFiles(dirname(file), [{ path: basename(file), text }]);
    await orUndecided(write, given.sarif);
  }
  if (given.json === true) io.print(JSON.stringify(changesJson(changes, words, shapes)));
  else for (const line of changesLines(changes, words, shapes)) io.print(line);
  end(changes, shown);
};

export const command = defineCommand({
  operands: [],
  options: {
    lock: { type: 'boolean', help: `write ${lockName}, a fact a line` },
    check: { type: 'boolean', help: `say who gained and lost what since ${lockName} was written` },
    against: { type: 'string', value: 'LOCK', help: 'with --check: compare with this lock file' },
    sarif: { type: 'string', value: 'FILE', help: 'with --check: write the changes as SARIF 2.1.0 too' },
    lang: { type: 'string', value: 'LOCALE', help: `${locales.join(' or ')} (default en)` },
    ...jsonOption,
  },
  description: [
    'Prints who can do what in the application of the current folder: for each model and endpoint what each kind of',
    'caller may do, with which records and fields. It opens no database.',
    '--check compares with the lock file. For each condition it decides, for all data, whether it is equal, narrower,',
    'wider or differs, and shows a record and a caller. Code is named and never decided.',
    'Exit status of --check: 0 no access was gained or lost, 1 some was, 2 code has changed, a condition is too large,',
    'the models do not load, or the lock file is missing, edited manually or of another version.',
  ],
  examples: [
    'gatewright access',
    'gatewright access --lang zh-CN',
    'gatewright access --lock',
    'gatewright access --check --sarif access.sarif',
    'gatewright access --check --against main.lock --json',
  ],
  async run({ values }, io) {
    checkOptions(values);
    const locale = languageOf(values);
    if (values.check === true) return check(values, io);
    const { folder, application, policy } = await open();
    if (values.lock === true) {
      await replaceFiles(folder, [{ path: lockName, text: lockText(policy) }]);
      return io.print(`wrote ${shownPath(folder, lockName)}`);
    }
    const words = new AccessWords(application.models, locale);
    if (values.json === true) return io.print(JSON.stringify(policyJson(policy, words)));
    for (const line of policyLines(policy, words)) io.print(line);
  },
});
