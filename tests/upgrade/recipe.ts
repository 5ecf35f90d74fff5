/** Follows a recipe of CONTRIBUTING in a copy of the source: its edits by hand, then the type checker and a program. */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureBuilt, root } from '../tour/service.ts';

const run = promisify(execFile);

/** An edit by hand: a text before the first place of another one in the file that declares something. */
export interface Edit {
  readonly declares: string;
  readonly before: string;
  readonly insert: string;
}

/** A new file of the source. */
export interface NewFile {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

/** The number of files that these edits change or create. */
export const filesEdited = (edits: readonly Edit[], files: readonly NewFile[] = []): number =>
  new Set(edits.map(({ declares }) => declares)).size + files.length;

/** A copy of the source in which a recipe has been followed. */
export class RecipeCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws Error if no file declares what an edit names, or if the file lacks the place of the edit */
  static async following(edits: readonly Edit[], files: readonly NewFile[] = []): Promise<RecipeCopy> {
    const copy = new RecipeCopy(await mkdtemp(join(tmpdir(), 'gatewright-recipe-')));
    await copy.#fill();
    for (const { path, text } of files) await writeFile(join(copy.folder, path), text);
    for (const edit of edits) await copy.#apply(edit);
    return copy;
  }

  async #fill(): Promise<void> {
    for (const part of [
      'src',
      'admin',
      'bin',
      'client',
      'docs-page',
      'scripts',
      'tests/support',
      'tsconfig.json',
      'package.json',
    ])
      await cp(join(root, part), join(this.folder, part), { recursive: true });
    // The types of models, which the client names by the package.
    await ensureBuilt();
    for (const part of ['node_modules', 'dist']) await symlink(join(root, part), join(this.folder, part));
  }

  async #apply({ declares, before, insert }: Edit): Promise<void> {
    const file = await this.#fileWith(declares);
    const text = await readFile(file, 'utf8');
    if (!text.includes(before)) throw new Error(`${file} lacks the place of an edit: ${before}`);
    await writeFile(
      file,
      text.replace(before, () => insert + before),
    );
  }

  async #fileWith(text: string): Promise<string> {
    for (const file of globSync('{src,admin/src}/**/*.{ts,tsx}', { cwd: this.folder }))
      if ((await readFile(join(this.folder, file), 'utf8')).includes(text)) return join(this.folder, file);
    throw new Error(`no file has ${text}`);
  }

  /** Runs a program in the copy, and returns the JSON that it prints. @throws Error with its output if it fails */
  async run(program: string, ...args: readonly string[]): Promise<unknown> {
    await writeFile(join(this.folder, 'program.ts'), program);
    return JSON.parse(await this.#node('program.ts', ...args));
  }

  /** Compiles the service and the administration area. @throws Error with what the compiler says */
  async compile(): Promise<void> {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const extended = {
      extends: './tsconfig.json',
      compilerOptions: { incremental: false },
      include: ['src', 'client', 'scripts/client-records.ts'],
      exclude: ['**/*.test.ts', '**/test-*.ts'],
    };
    await writeFile(join(this.folder, 'tsconfig.copy.json'), JSON.stringify(extended));
    await this.#node(tsc, '-p', 'tsconfig.copy.json');
    await this.#node(tsc, '-p', 'admin', '--incremental', 'false');
  }

  async #node(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, args, { cwd: this.folder }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
