/** `gatewright init`: creates the folder of a new application. */

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../kernel/package-files.ts';
import { defineCommand } from '../command.ts';
import { CommandError, UsageError } from '../io.ts';
import { applicationFiles } from '../scaffold/application-files.ts';
import { writeNewFiles } from '../scaffold/files.ts';

/** This package: its folder and its package.json. */
export interface OwnPackage {
  readonly folder: string;
  readonly version: string;
  /** Version ranges of the packages that applications install beside it. */
  readonly optional: Readonly<Record<string, string>>;
  /** Version ranges of its development dependencies. */
  readonly developed: Readonly<Record<string, string>>;
}

export const ownPackage = async (): Promise<OwnPackage> => {
  const folder = fileURLToPath(packageFile('.')).replace(/[/\\]$/, '');
  const { version, peerDependencies, devDependencies } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as { version: string; peerDependencies: Record<string, string>; devDependencies: Record<string, string> };
  return { folder, version, optional: peerDependencies, developed: devDependencies };
};

/** The file from which npm installed this package, if it was one: `npx ./gatewright-1.0.0.tgz init …`. */
const installedFrom = async (folder: string): Promise<string | undefined> => {
  const root = dirname(dirname(folder));
  try {
    const text = await readFile(join(root, 'node_modules', '.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages?: Record<string, { resolved?: string }> };
    const resolved = packages?.['node_modules/gatewright']?.resolved ?? '';
    return resolved.startsWith('file:') ? `file:${resolve(root, resolved.slice('file:'.length))}` : undefined;
  } catch {
    // There is no such list: another tool installed it, so the registry will do.
    return undefined;
  }
};

/**
 * The entry of this package in the new application's package.json: that of `--from`, or the tarball or checkout from
 * which this command runs, or this version of the registry.
 */
export const dependencySpec = async (own: OwnPackage, from: string | undefined): Promise<string> => {
  if (from !== undefined) return existsSync(from) ? `file:${resolve(from)}` : from;
  if (!own.folder.split(sep).includes('node_modules')) return `file:${own.folder}`;
  return (await installedFrom(own.folder)) ?? `^${own.version}`;
};

/** The name of a package, derived from its folder. */
const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '') || 'application';

/** The chosen packages with their version ranges. @throws UsageError for a package that no setting needs */
const chosenFrom = ({ optional }: OwnPackage, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => {
      const range = Object.hasOwn(optional, name) ? optional[name] : undefined;
      if (range === undefined)
        throw new UsageError(`--with ${name}: the packages are ${Object.keys(optional).join(', ')}`);
      return [name, range];
    }),
  );

const assertEmpty = async (directory: string, folder: string): Promise<void> => {
  try {
    const names = (await readdir(folder)).filter((name) => name !== '.git');
    if (names.length > 0)
      throw new UsageError(`${directory} is not empty (${names[0]} is there); nothing was written`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ENOTDIR') throw new UsageError(`${directory} is a file; nothing was written`);
    if (error.code !== 'ENOENT') throw error;
  }
};

export const command = defineCommand({
  operands: ['DIR'],
  options: {
    from: {
      type: 'string',
      value: 'SPEC',
      help: 'source from which npm installs gatewright: a tarball, a folder, a version',
    },
    with: {
      type: 'string',
      multiple: true,
      value: 'PACKAGE',
      help: 'a package that a setting needs: pg, prom-client, nodemailer, openid-client or jose (repeatable)',
    },
  },
  description: [
    'Writes a new application into an empty folder: one resource with its test and migration, and the files around it.',
    'It downloads nothing: run npm install afterwards.',
  ],
  examples: [
    'npx gatewright init my-api',
    'npx gatewright init my-api --with pg',
    'gatewright init my-api --from ./gatewright-0.1.0.tgz',
  ],
  async run({ values, operands: [directory = ''] }, io) {
    const folder = resolve(directory);
    await assertEmpty(directory, folder);
    const own = await ownPackage();
    const version = (name: string): string => {
      const range = own.developed[name];
      if (range === undefined) throw new CommandError(`this package names no version of ${name}`);
      return range;
    };
    const files = applicationFiles({
      name: packageName(folder),
      dependency: await dependencySpec(own, values.from),
      chosen: chosenFrom(own, values.with ?? []),
      developed: {
        '@types/node': version('@types/node'),
        typescript: version('typescript'),
      },
    });
    await mkdir(folder, { recursive: true });
    await writeNewFiles(folder, files);
    for (const { path } of files) io.print(`wrote ${relative(process.cwd(), resolve(folder, path))}`);
    io.print('Next:');
    if (folder !== process.cwd()) io.print(`  cd ${directory}`);
    io.print('  npm install');
    io.print('  npm run dev');
  },
});
