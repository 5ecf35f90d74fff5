import { defineCommand, jsonOption } from '../command.ts';
import { ImportCommand } from '../transfer/import-command.ts';
import { withOperations } from '../transfer/opened.ts';
import { formatOf, transferOptions } from '../transfer/options.ts';

export const command = defineCommand({
  operands: ['FILE'],
  options: {
    ...transferOptions,
    'update-by': {
      type: 'string',
      value: 'FIELD',
      help: 'a unique field, or id: a line whose value is there updates that record',
    },
    ...jsonOption,
  },
  description: [
    'Creates records from FILE: CSV with a head line (.csv), or an object of JSON on each line (.jsonl, .ndjson).',
    'Each goes through the policy, validation and hooks of the API. Lines are written in transactions of some thousand;',
    'a line that is refused ends the import with all messages of its transaction, of which nothing stands.',
    'Run again after that, after Ctrl-C or after a crash, it goes on behind what stands, and each line is written once.',
    'A file that was imported to its end starts again. An empty cell is no value, "" an empty text.',
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
