import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ensureBuilt, root } from '../tour/service.ts';

const run = promisify(execFile);

const local = (name: string): string => join(root, 'node_modules', '.bin', name);

/**
 * The environment of a developer who has npm and whatever Node comes with it: nothing of this checkout is on the PATH.
 */
const strangerEnv = (): Record<string, string> => {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_(?!config_)|NODE_|VITEST|BASE_URL$|DEV$|PROD$|MODE$|SSR$|TEST$|DATABASE_URL$)/i.test(name),
  );
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'));
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
    PATH: path.join(delimiter),
    // npm waits five minutes for a download that stalls before it tries again.
    npm_config_fetch_timeout: '30000',
  };
};

export interface Package {
  /** Folder that was packed. */
  readonly folder: string;
  readonly tarball: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Packs the package in a copy of the checkout as it is built, so that nothing that npm writes is left in the checkout. */
export const pack = async (directory: string): Promise<Package> => {
  const folder = join(directory, 'package');
  await ensureBuilt();
  await mkdir(folder);
  const names = (await readdir(root)).filter(
    (name) => !/^(?:\..*|node_modules|data|coverage|reports|tests|bench|examples|.*\.tgz)$/.test(name),
  );
  await Promise.all(names.map((name) => cp(join(root, name), join(folder, name), { recursive: true })));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--loglevel=error'], {
    cwd: folder,
    env: strangerEnv(),
    maxBuffer: 16 * 1024 * 1024,
  });
  const [packed] = Object.values(
    JSON.parse(stdout) as Record<string, { filename: string; files: Package['files'] }>,
  );
  if (packed === undefined) throw new Error(`npm pack said ${stdout}`);
  return { folder, tarball: join(folder, packed.filename), files: packed.files };
};

/** The complaints of a tool about the package; empty when there are none. */
export const complaints = async (tool: 'publint' | 'attw', args: readonly string[]): Promise<string> => {
  try {
    await run(process.execPath, [local(tool), ...args], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
};

export interface Output {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An application made with the package, as a developer has it. */
export class MadeApplication {
  readonly folder: string;
  readonly #children = new Set<ChildProcess>();

  constructor(folder: string) {
    this.folder = folder;
  }

  static async create(packed: Package, directory: string): Promise<MadeApplication> {
    const application = new MadeApplication(join(directory, 'my-api'));
    const bin = join(packed.folder, 'bin', 'gatewright.js');
    await run('node', [bin, 'init', application.folder, '--from', packed.tarball], {
      cwd: directory,
      env: strangerEnv(),
    });
    return application;
  }

  async npm(...args: string[]): Promise<Output> {
    return this.#output('npm', [...args, '--loglevel=error'], {});
  }

  /** Runs the compiler that the application has. */
  async tsc(...args: string[]): Promise<Output> {
    return this.#output(join(this.folder, 'node_modules', '.bin', 'tsc'), args, {});
  }

  gatewright(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Output> {
    return this.#output(join(this.folder, 'node_modules', '.bin', 'gatewright'), args, env);
  }

  /** Starts a command that goes on; returns it with its lines as they come. */
  spawn(args: readonly string[], env: Readonly<Record<string, string>>) {
    const child = spawn(join(this.folder, 'node_modules', '.bin', 'gatewright'), args, {
      cwd: this.folder,
      env: { ...strangerEnv(), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    /** The next line that has the text. */
    const line = async (text: string): Promise<string> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`it ended without saying ${text}`);
        if (value.includes(text)) return value;
      }
    };
    return { child, line };
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  async #output(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Output> {
    const options = { cwd: this.folder, env: { ...strangerEnv(), ...env }, maxBuffer: 16 * 1024 * 1024 };
    try {
      return { status: 0, ...(await run(file, [...args], options)) };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { status: code, stdout, stderr };
    }
  }
}

/** Outside the repository: nothing of it may be found by accident. */
export const temporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'gatewright-package-'));
