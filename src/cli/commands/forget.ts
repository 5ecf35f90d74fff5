import type { Database } from '../../database/database.ts';
import { defaultKey } from '../../fields/keys.ts';
import type { TableContext } from '../../ledger/context.ts';
import { forgetRecord, forgetUser } from '../../upkeep/forget.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

const quantityText = (count: number, one: string, many = `${one}s`): string | undefined =>
  count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;

const commandLine = { principal: 'command line', address: null } as const;

/** Discards what the files of the database still hold; a service that runs repeats it. */
const discardRemains = async (database: Database, io: Io): Promise<void> => {
  if ((await database.discardRemains?.()) !== false) return;
  io.warn('a long read still needs the write-ahead log: the service empties it once that has ended');
};

const forgetNames = async (io: Io, context: TableContext, id: number): Promise<void> => {
  if (!(await forgetUser(context, id, commandLine))) throw new CommandError(`delete User ${id} first`);
  io.print(`forgot the names and network addresses of User ${id}`);
};

export const command = defineCommand({
  operands: ['MODEL', 'ID'],
  options: jsonOption,
  description: [
    'Permanently removes the values of a record from all its stored versions, events and webhook deliveries. Authors and',
    'times stay, and the audit log records the command. The record is also removed from the trash, so it cannot be',
    'restored. The record itself is not changed: first delete it or clear its fields.',
    'With User as MODEL, the names and network addresses of a deleted user leave the audit log, histories and events.',
  ],
  examples: ['gatewright forget Customer 17'],
  async run({ values, operands: [model = '', text = ''] }, io) {
    const id = defaultKey.parse(text);
    if (id === undefined) throw new UsageError(`${text} is not an id`);
    if (model === 'User') return withTables(io, (context) => forgetNames(io, context, id));
    const forgotten = await withTables(io, async ({ database, clock }) => {
      const made = await forgetRecord(database, { model, id }, clock(), commandLine);
      await discardRemains(database, io);
      return made;
    });
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
