import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface ProjectOptions {
  /** Packages whose types are there without an import; none unless named. */
  readonly types?: readonly string[];
  /** Parts of the language's library beside that of browsers. */
  readonly lib?: readonly string[];
  /** Refuses unused names. */
  readonly noUnusedLocals?: boolean;
  /** Compiles JavaScript as well, as far as its syntax goes. */
  readonly allowJs?: boolean;
}

/** An empty TypeScript project of its own, strict, as an application in another package is one. */
export const createProject = async ({
  types = [],
  lib = [],
  allowJs = false,
  noUnusedLocals = false,
}: ProjectOptions = {}) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-project-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const write = (name: string, text: string): Promise<void> => writeFile(join(directory, name), text);
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', ...lib],
    module: 'nodenext',
    types,
    allowJs,
    noUnusedLocals,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    paths: {
      gatewright: [join(root, 'src/index.ts')],
      'gatewright/client': [join(root, 'client/index.ts')],
      'gatewright/client/sign': [join(root, 'client/sign.ts')],
      '#model': [join(root, 'src/model/types.ts')],
    },
  };
  await write('package.json', '{"type":"module"}');
  await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', '*.mjs'] }));
  return {
    directory,
    write,
    /** The compiler's messages about its files; empty when nothing is wrong. */
    compile: (): Promise<string> =>
      new Promise((resolve) => {
        const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
        execFile(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], (_error, stdout, stderr) =>
          resolve(stdout + stderr),
        );
      }),
  };
};
