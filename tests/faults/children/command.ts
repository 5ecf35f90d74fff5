import { main, processIo } from '../../../src/cli/main.ts';

/** `gatewright` with these arguments, from the source. */
process.exitCode = await main(process.argv.slice(2), processIo());
