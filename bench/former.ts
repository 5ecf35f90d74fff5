/** Another commit of this repository: its files, and its service, built to run beside this one's. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './data.ts';

const run = promisify(execFile);

/**
 * @param about the commit in words: `of release 1.0 (4f2c6e70)`
 * @throws Error that says what to do where the checkout does not have the commit
 */
export const assertCommit = async (commit: string, about: string): Promise<void> => {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch(() => {
    throw new Error(
      `this checkout does not have the commit ${about}: fetch the whole history, git fetch --unshallow`,
    );
  });
};

/** Writes the files of a commit into a folder. */
export const extractCommit = async (commit: string, folder: string): Promise<void> => {
  const archive = join(folder, 'archive.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
};

/** A folder that is removed at the end. */
interface Checkout extends AsyncDisposable {
  readonly folder: string;
}

/** Builds the service and the command line of a commit, with the dependencies of this checkout; no pages and no types. */
export const builtCommit = async (commit: string): Promise<Checkout> => {
  await assertCommit(commit, `beside which the service is measured (${commit})`);
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-commit-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await extractCommit(commit, folder);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await run(process.execPath, ['scripts/bundle.js'], { cwd: folder });
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, [Symbol.asyncDispose]: remove };
};
