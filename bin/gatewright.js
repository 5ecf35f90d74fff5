#!/usr/bin/env node
// Plain JavaScript that Node 12 can read: whatever Node is on the PATH gets to run this file, which hands over to the
// Node that the package brings along where that one is too old.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseNode } from './runtime.js';

const isWindows = process.platform === 'win32';

/** Node lets the memory for young objects grow to 48 MB; with half of it the service is as fast. */
const youngGeneration = '--max-semi-space-size=8';

/** `init` writes files and opens no database: it is what brings the right Node, so it runs on an older one. */
const isInit = process.argv[2] === 'init' && Number(process.versions.node.split('.')[0]) >= 20;

const fail = (message) => {
  process.stderr.write(`gatewright: ${message}\n`);
  process.exitCode = 1;
};

/** Becomes `file` as far as one process can become another: arguments, stdio, signals and exit status are passed on. */
const handOver = (file) => {
  // The channel carries nothing. Its end tells the child that this process was killed, so that no orphan goes on.
  const child = spawn(file, [youngGeneration, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const passOn = (signal) => {
    // A terminal sends these to the child as well: it must not see them twice.
    if (process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')) return;
    child.kill(signal);
  };
  const signals = isWindows
    ? ['SIGINT', 'SIGTERM', 'SIGHUP']
    : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  for (const signal of signals) process.on(signal, passOn);
  // npm ends its shell, not what that runs: the child would not notice, as its parent is this process.
  const parent = process.ppid;
  const byNpm = process.env.npm_lifecycle_event !== undefined || process.env.npm_command !== undefined;
  const watching = setInterval(() => {
    if (byNpm && process.ppid !== parent) child.kill('SIGTERM');
  }, 500);
  watching.unref();
  child.on('error', (error) => fail(`${file}: ${error.message}`));
  child.on('exit', (code, signal) => {
    for (const one of signals) process.removeListener(one, passOn);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
    if (child.connected) child.disconnect();
  });
};

/**
 * Keeps compiled code for the next start, the application's stripped of its types: that start takes half the time, and
 * the process 14 MB less. It lies with the data, which nobody but the service may write to: whoever can change the
 * cache can run code. Without it everything works, so a folder that cannot be made is no error.
 */
const keepCompiledCode = () => {
  const data = resolve(process.env.DATA_DIR || 'data');
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    module.enableCompileCache(join(data, 'compile-cache'));
  } catch (error) {
    if (error.code === undefined) throw error;
  }
};

const run = () => {
  if (process.argv[2] === 'start') keepCompiledCode();
  // A worker answers what it has when the process above it is gone (src/cli/workers).
  if (process.channel && process.env.GATEWRIGHT_WORKER === undefined) {
    process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    process.channel.unref();
  }
  if (!existsSync(new URL('../dist/cli/main.js', import.meta.url)))
    return fail('not built yet: npm run build');
  import('../dist/cli/main.js')
    .then((cli) => cli.main(process.argv.slice(2), cli.processIo()))
    .then((status) => {
      process.exitCode = status;
    })
    .catch((error) => fail(error.message.split('\n')[0]));
};

if (isInit) {
  run();
} else {
  const { file, warning, refusal } = chooseNode([process.cwd(), dirname(fileURLToPath(import.meta.url))]);
  if (warning !== undefined) process.stderr.write(`gatewright: ${warning}\n`);
  if (refusal !== undefined) fail(refusal);
  else if (file === undefined) run();
  else handOver(file);
}
