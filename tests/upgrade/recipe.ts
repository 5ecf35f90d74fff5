/** Follows a recipe of CONTRIBUTING in a copy of the source: its edits by hand, then the type checker and a program. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureBuilt, root } from '../tour/service.ts';

const run = promisify(execFile);

/** Edits of a file by hand: each text comes before the first place of another one. */
export interface Edits {
  /** From the root of the project. */
  readonly file: string;
  readonly inserted: readonly { readonly before: string; readonly text: string }[];
}

/** A new file. */
export interface NewFile {
  readonly file: string;
  readonly text: string;
}

type Change = Edits | NewFile;

/** The number of files that a person edits or writes. */
export const filesOf = (changes: readonly Change[]): number => new Set(changes.map(({ file }) => file)).size;

const parts = [
  'src',
  'admin',
  'bin',
  'client',
  'docs',
  'docs-page',
  'account-pages',
  'scripts',
  'tests/support',
  'tests/types',
  'tsconfig.json',
  'package.json',
];

/** Programs of types that are compiled: the service with the client, and the administration area. */
const programs = { service: 'tsconfig.copy.json', admin: 'admin' } as const;

const runNode = async (args: readonly string[], cwd: string): Promise<string> => {
  const { stdout } = await run(process.execPath, args, { cwd }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout;
};

/** A copy of the source in which a recipe is followed. */
export class RecipeCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @param checked tests that are compiled as well */
  static async make(checked: readonly string[] = []): Promise<RecipeCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'gatewright-recipe-'));
    for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true });
    // The types of models, which the client names by the package.
    await ensureBuilt();
    for (const part of ['node_modules', 'dist']) await symlink(join(root, part), join(folder, part));
    const service = {
      extends: './tsconfig.json',
      compilerOptions: { incremental: false },
      include: ['src', 'client', 'scripts/client-records.ts'],
      files: checked,
      exclude: ['**/*.test.ts', '**/test-*.ts'],
    };
    await writeFile(join(folder, programs.service), JSON.stringify(service));
    return new RecipeCopy(folder);
  }

  /** @throws Error if a file lacks the place of an edit */
  async apply(changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      const path = join(this.folder, change.file);
      if ('text' in change) await writeFile(path, change.text);
      else await writeFile(path, this.#edited(change, await readFile(path, 'utf8')));
    }
  }

  #edited({ file, inserted }: Edits, text: string): string {
    let edited = text;
    for (const { before, text: added } of inserted) {
      if (!edited.includes(before)) throw new Error(`${file} lacks the place of an edit: ${before}`);
      edited = edited.replace(before, () => added + before);
    }
    return edited;
  }

  /** Runs a program in the copy, and returns the JSON that it prints. @throws Error with its output if it fails */
  async run(program: string, ...args: readonly string[]): Promise<unknown> {
    await writeFile(join(this.folder, 'program.ts'), program);
    return JSON.parse(await runNode(['program.ts', ...args], this.folder));
  }

  /** The files that the compiler refuses, each once. */
  async refused(program: keyof typeof programs): Promise<readonly string[]> {
    const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
    const args = [tsc, '-p', programs[program], '--incremental', 'false', '--pretty', 'false'];
    const output = await run(process.execPath, args, { cwd: this.folder }).catch((error) => error);
    const files = [...String(output.stdout).matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(
      ([, file]) => `${file}`,
    );
    return [...new Set(files)].sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
