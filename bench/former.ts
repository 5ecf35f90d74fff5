/** Another commit of this repository as a built checkout, so that its service runs beside this one's. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './data.ts';

const run = promisify(execFile);

/** Builds the service and the command line of a checkout, with the dependencies of this one; no pages. */
const build = async (folder: string): Promise<void> => {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const node = (...args: readonly string[]) => run(process.execPath, args, { cwd: folder });
  await node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  await node('scripts/bundle.js');
};

/**
 * A folder with a commit, built once for all runs on this machine.
 * @throws Error that says what to do where the checkout does not have the commit
 */
export const checkoutOf = async (commit: string): Promise<string> => {
  const folder = join(tmpdir(), `gatewright-commit-${commit}`);
  if (existsSync(folder)) return folder;
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch(() => {
    throw new Error(
      `this checkout does not have the commit ${commit}, beside which the service is measured: fetch the whole history, git fetch --unshallow`,
    );
  });
  const draft = await mkdtemp(`${folder}-`);
  try {
    const archive = join(draft, 'archive.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: root });
    await run('tar', ['-xf', archive, '-C', draft]);
    await rm(archive);
    await build(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another run made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
};
