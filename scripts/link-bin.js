// Puts the command of this checkout where `npx gatewright` looks first. npx finds it without, but then installs the
// checkout into a cache of its own before its first run, which takes long and asks the registry. Windows has no links
// for everybody: there npx takes the long way.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';

if (process.platform !== 'win32') {
  const directory = new URL('../node_modules/.bin/', import.meta.url);
  const link = new URL('gatewright', directory);
  mkdirSync(directory, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync('../../bin/gatewright.js', link);
}
