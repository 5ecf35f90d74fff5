import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Replaces the key and kills itself behind the operation on files of this number; 0: never. Prints how many there were. */
const [, , last = '0', ...args] = process.argv;

let count = 0;
const counted = <F extends (...parameters: never[]) => Promise<unknown>>(operation: F): F =>
  async function (this: unknown, ...parameters: Parameters<F>) {
    const result = await operation.apply(this, parameters);
    count += 1;
    if (count === Number(last)) process.kill(process.pid, 'SIGKILL');
    return result;
  } as F;

const handle = await fs.open(process.execPath, 'r');
const prototype = Object.getPrototypeOf(handle) as fs.FileHandle;
await handle.close();
prototype.writeFile = counted(prototype.writeFile);
prototype.sync = counted(prototype.sync);
for (const name of ['open', 'rename', 'link', 'rm'] as const)
  Object.assign(fs, { [name]: counted(fs[name]) });
syncBuiltinESMExports();

const { main } = await import('../../../src/cli/main.ts');
const { processIo } = await import('../../../src/cli/io.ts');
const io = processIo();
const status = await main(['credentials', 'rekey', ...args], { ...io, print: () => {} });
console.log(JSON.stringify({ status, count }));
