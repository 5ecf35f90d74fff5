import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ensureBuilt, root } from '../tour/service.ts';

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Folders in which this package is installed, as it would be from the registry. */
export interface Workshop {
  /** A folder with these files. */
  folder(name: string, files?: Readonly<Record<string, string>>): Promise<string>;
  /** Writes files into a folder. */
  write(directory: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** A copy of one of the example applications. */
  copy(example: string, name: string): Promise<string>;
  /** The compiler's messages about the files of a folder; empty when nothing is wrong. */
  compile(directory: string): string;
  remove(): Promise<void>;
}

/** Installs the package with everything that it needs, built from the source as it is. */
const install = async (modules: string): Promise<void> => {
  await ensureBuilt();
  const gatewright = join(modules, 'gatewright');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await mkdir(gatewright);
  const link = async (folder: string): Promise<void> => {
    for (const name of await readdir(join(root, 'node_modules', folder)))
      if (!name.startsWith('.') && name !== 'gatewright')
        await symlink(join(root, 'node_modules', folder, name), join(modules, folder, name));
  };
  await link('.');
  await link('.bin');
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    files: readonly string[];
  };
  const shipped = files.filter((name) => !name.startsWith('!'));
  for (const part of ['package.json', ...shipped])
    await cp(join(root, part), join(gatewright, part), { recursive: true });
  await symlink('../gatewright/bin/gatewright.js', join(modules, '.bin/gatewright'));
};

/**
 * A compiler for many small programs: what they all read (the language's library, the packages) is parsed once.
 */
const createCompiler = (): ((directory: string) => string) => {
  const parsed = new Map<string, ts.SourceFile | undefined>();
  return (directory) => {
    const { options, fileNames } = ts.parseJsonConfigFileContent(
      { compilerOptions, include: ['**/*.ts'] },
      ts.sys,
      directory,
    );
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile;
    host.getSourceFile = (name, ...how) => {
      if (name.startsWith(directory)) return read(name, ...how);
      if (!parsed.has(name)) parsed.set(name, read(name, ...how));
      return parsed.get(name);
    };
    const program = ts.createProgram({ rootNames: fileNames, options, host });
    return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host);
  };
};

export const createWorkshop = async (): Promise<Workshop> => {
  const base = await mkdtemp(join(tmpdir(), 'gatewright-guides-'));
  await install(join(base, 'node_modules'));
  const write: Workshop['write'] = async (directory, files) => {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await writeFile(join(directory, file), text);
    }
  };
  const folder: Workshop['folder'] = async (name, files = {}) => {
    const directory = join(base, 'pages', name);
    await mkdir(directory, { recursive: true });
    await write(directory, files);
    return directory;
  };
  return {
    folder,
    write,
    copy: async (example, name) => {
      const directory = await folder(name, { 'package.json': '{"type":"module"}' });
      await cp(join(root, 'examples', example), directory, { recursive: true });
      return directory;
    },
    compile: createCompiler(),
    remove: () => rm(base, { recursive: true, force: true }),
  };
};
