import { main, processIo } from '../../../src/cli/main.ts';

/** `gatewright dev` in the current folder; with `interactive` as if somebody typed at its standard input. */
const io = { ...processIo(), interactive: process.argv[2] === 'interactive' };
process.exitCode = await main(['dev'], io);
