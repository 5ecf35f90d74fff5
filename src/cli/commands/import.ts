import { defineCommand, jsonOption } from '../command.ts';
import { ImportCommand } from '../transfer/import-command.ts';
import { withOperations } from '../transfer/opened.ts';
import { formatOf, transferOptions } from '../transfer/transfer-options.ts';

export const command = defineCommand({
  operands: ['FILE'],
  options: {
    ...transferOptions,
    'update-by': {
      type: 'string',
      value: 'FIELD',
      help: 'a unique field, or id: a line with an existing value updates that record',
    },
    ...jsonOption,
  },
  description: [
    'Creates records from FILE: CSV with a header line (.csv), or one JSON object per line (.jsonl, .ndjson).',
    'The policy, validation and hooks of the API apply to each. An invalid line ends the import with all messages of its',
    'transaction, which is rolled back. Run it again after an error, Ctrl-C or a crash: it continues after the last',
    'written line. An empty cell is null, "" an empty text.',
    'A new database is migrated first. If migrations of another one are pending, it exits with 1 and names them.',
  ],
  examples: [
    'gatewright import products.csv --resource products',
    'gatewright import products.csv --resource products --update-by sku --as lin',
    'gatewright import orders.jsonl --resource Order --json',
  ],
  async run({ operands: [path = ''], values }, io) {
    const { resource, as, json = false } = values;
    const format = formatOf(path);
    const asked = { path, format, resource, as, by: values['update-by'], json };
    await withOperations(io, (opened) => new ImportCommand(io, asked, opened).run());
  },
});
