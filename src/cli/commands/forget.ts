import { forgetRecord } from '../../upkeep/forget.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

const quantityText = (count: number, one: string, many = `${one}s`): string | undefined =>
  count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;

export const command = defineCommand({
  operands: ['MODEL', 'ID'],
  options: jsonOption,
  description: [
    'Permanently removes the values of a record from all its stored versions, events and webhook deliveries. Authors and',
    'times stay, and the audit log records the command. The record is also removed from the trash, so it cannot be',
    'restored. The record itself is not changed: first delete it or clear its fields. Later changes are stored as usual.',
  ],
  examples: ['gatewright forget Customer 17'],
  async run({ values, operands: [model = '', text = ''] }, io) {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) throw new UsageError(`${text} is not an id`);
    const forgotten = await withTables(io, ({ database, clock }) =>
      forgetRecord(database, { model, id }, clock(), { principal: 'command line', address: null }),
    );
    const { versions, events, deliveries, trash } = forgotten;
    const trashed = quantityText(trash, 'record');
    const kinds = [
      quantityText(versions, 'version'),
      quantityText(events, 'event'),
      quantityText(deliveries, 'delivery', 'deliveries'),
      trashed && `${trashed} in the trash`,
    ];
    const said = kinds.filter((each) => each !== undefined);
    if (said.length === 0) throw new CommandError(`nothing is kept of ${model} ${id}`);
    io.print(
      values.json === true
        ? JSON.stringify({ model, id, ...forgotten })
        : `forgot ${said.join(' and ')} of ${model} ${id}`,
    );
  },
});
