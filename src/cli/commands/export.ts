import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';
import { ExportCommand } from '../transfer/export-command.ts';
import { withOperations } from '../transfer/opened.ts';
import { exportPerson } from '../transfer/person-command.ts';
import { formatOf, transferOptions } from '../transfer/transfer-options.ts';

export const command = defineCommand({
  operands: ['FILE'],
  options: {
    ...transferOptions,
    filter: {
      type: 'string',
      value: 'CONDITION',
      multiple: true,
      help: 'as in a list: status=paid, price[gte]=5 (repeatable)',
    },
    person: {
      type: 'string',
      value: 'USERNAME',
      help: 'instead of --resource: everything that is stored about this person',
    },
    ...jsonOption,
  },
  description: [
    'Writes the records of a list to FILE, in order of ID: CSV with a header line (.csv), or one JSON object per line',
    '(.jsonl, .ndjson); with - as FILE, CSV to stdout. The records are those of GET /api/v1/NAME for the same user.',
    'With --person: their account, sessions, keys, records, history, events and audit lines, without any secret, as JSON',
    'lines (.jsonl, .ndjson, or - for stdout). Records of other people that the person changed are named without values.',
    'Run it again after Ctrl-C or a crash: it continues after the last complete record.',
    'A new database is migrated first. If migrations of another one are pending, it exits with 1 and names them.',
  ],
  examples: [
    'gatewright export products.csv --resource products',
    "gatewright export orders.jsonl --resource orders --filter status=paid --filter 'created_at[gte]=2026-01-01' --as lin",
    'gatewright export - --resource products | gzip > products.csv.gz',
    'gatewright export bob.jsonl --person bob',
  ],
  async run({ operands: [path = ''], values }, io) {
    const { resource, as, filter: filters = [], json = false, person } = values;
    if (person !== undefined) {
      if (resource !== undefined || as !== undefined || filters.length > 0)
        throw new UsageError('--person takes no --resource, --as or --filter');
      const askedPerson = { path, username: person, json };
      return withOperations(io, (opened) => exportPerson(io, askedPerson, opened));
    }
    const format = path === '-' ? 'csv' : formatOf(path);
    const asked = { path, format, resource, as, filters, json };
    await withOperations(io, (opened) => new ExportCommand(io, asked, opened).run());
  },
});
