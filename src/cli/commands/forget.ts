import { createHistory } from '../../store/history/history.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

export const command = defineCommand({
  operands: ['MODEL', 'ID'],
  options: jsonOption,
  description: [
    'Removes the values of a record from every version that is kept of it, for data that must go for good. That they were',
    'kept, by whom and when, stays, and so does a line in the audit list. The record itself is not touched: delete it, or',
    'empty its fields, before; what is written behind this command is kept as any other version.',
  ],
  examples: ['gatewright forget Customer 17'],
  async run({ values, operands: [model = '', text = ''] }, io) {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) throw new UsageError(`${text} is no id`);
    const versions = await withTables(io, async ({ database, clock }) => {
      const actor = { principal: 'command line', address: null } as const;
      return createHistory(database, model).forget(id, clock(), actor);
    });
    if (versions === 0) throw new CommandError(`nothing is kept of ${model} ${id}`);
    io.print(
      values.json === true
        ? JSON.stringify({ model, id, versions })
        : `forgot ${versions} ${versions === 1 ? 'version' : 'versions'} of ${model} ${id}`,
    );
  },
});
