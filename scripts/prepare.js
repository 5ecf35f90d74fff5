// Runs after the installation of dependencies: the build, and the command of this checkout in node_modules/.bin.
//  npx runs it as well, at its first `npx gatewright` in a checkout, where its version does not look for the command there first: it links the checkout into a cache of its own and prepares it. A build then would remove `dist` under a running service, so npx builds only where nothing is built. Windows has no links for all users; npx works without.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseNode } from '../bin/runtime.js';

const root = new URL('../', import.meta.url);

// The build needs the Node that the service needs. Without this, one of its tools would fail with a stack.
const { file, warning, refusal } = chooseNode([fileURLToPath(root)]);
if (warning !== undefined) process.stderr.write(`${warning}\n`);
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`);
  process.exit(1);
}
if (file !== undefined) process.env.PATH = `${dirname(file)}${delimiter}${process.env.PATH}`;

const isOfNpx = process.env.npm_command === 'exec';
if (!(isOfNpx && existsSync(new URL('dist/index.js', root)))) {
  const { status } = spawnSync('npm', ['run', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(1);
}

if (process.platform !== 'win32') {
  const directory = new URL('node_modules/.bin/', root);
  const link = new URL('gatewright', directory);
  mkdirSync(directory, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync('../../bin/gatewright.js', link);
}
