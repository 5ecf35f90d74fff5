import { mkdir, readdir } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { CommandError, UsageError } from '../io.ts';
import { applicationFiles } from '../scaffold/application-files.ts';
import { writeNewFiles } from '../scaffold/files.ts';
import { dependencySpec, ownPackage } from '../scaffold/package-source.ts';

/** A package's name made of a folder's. */
const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '') || 'application';

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
      help: 'what npm installs gatewright from: a tarball, a folder, a version',
    },
  },
  description: [
    'Writes a new application into an empty folder: one resource with its test and migration, and what is around it.',
    'It fetches nothing: npm install does that afterwards.',
  ],
  examples: ['npx gatewright init my-api', 'gatewright init my-api --from ./gatewright-0.1.0.tgz'],
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
      node: version('node'),
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
