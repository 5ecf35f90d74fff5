import { processIo } from '../../../src/cli/io.ts';
import { ImportCommand } from '../../../src/cli/transfer/import-command.ts';
import { withOperations } from '../../../src/cli/transfer/opened.ts';
import { transferApplication } from '../../support/transfer-application.ts';

/** `gatewright import` of CSV in a process of its own: environment as JSON, path and resource are its arguments. */
const [, , environment = '{}', path = '', resource = ''] = process.argv;
const io = { ...processIo(), env: JSON.parse(environment) as Record<string, string> };
const asked = { path, format: 'csv', resource, as: undefined, by: undefined, json: true } as const;
try {
  await withOperations(
    io,
    (opened) => new ImportCommand(io, asked, opened).run(),
    async () => transferApplication(),
  );
} catch (error) {
  io.print(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
