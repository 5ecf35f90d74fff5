/** `gatewright forget`: removes the values of a record, or the name of a deleted user, from what is kept of them. */

import type { Database } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import { defaultKey, parseAnyIds } from '../../fields/keys.ts';
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

const nothing = { versions: 0, events: 0, deliveries: 0, trash: 0 };

/** Forgets the record of the first of these ids of which anything is kept. */
const forgetFirst = async (database: Database, model: string, ids: readonly RecordId[], now: number) => {
  for (const id of ids) {
    const forgotten = await forgetRecord(database, { model, id }, now, commandLine);
    const { versions, events, deliveries, trash } = forgotten;
    if (versions + events + deliveries + trash > 0) return { id, forgotten };
  }
  return { id: ids[0] ?? '', forgotten: nothing };
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
    const ids = parseAnyIds(text);
    if (ids.length === 0) throw new UsageError(`${text} is not an id`);
    if (model === 'User') {
      const user = defaultKey.parse(text);
      if (user === undefined) throw new UsageError(`${text} is not an id`);
      return withTables(io, (context) => forgetNames(io, context, user));
    }
    const { id, forgotten } = await withTables(io, async ({ database, clock }) => {
      const made = await forgetFirst(database, model, ids, clock());
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
