import { lockKey, rotatedKey, rotateKey } from '../../accounts/api-keys.ts';
import { maxOverlapSeconds } from '../../database/tables.ts';
import { defaultKey } from '../../fields/keys.ts';
import { createCommands } from '../../ledger/command.ts';
import { defaultOverlapSeconds } from '../../ledger/overlap.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { CommandError, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

export const command = defineCommand({
  operands: ['ID'],
  options: {
    overlap: {
      type: 'string',
      value: 'DURATION',
      default: `${defaultOverlapSeconds / 3_600}h`,
      help: 'how long the present key stays valid: 30s, 10m, 1h, 7d (default 24h, at most 30d; 0: not at all)',
    },
    ...jsonOption,
  },
  description: [
    'Gives an API key a new secret and prints it. It cannot be shown again. The present one stays valid for the overlap.',
    'Name, usage, scopes, networks and expiry stay. A second rotation within the overlap ends the older key at once.',
  ],
  examples: ['gatewright key rotate 7', 'gatewright key rotate 7 --overlap 1h --json'],
  async run({ values, operands: [text = ''] }, io) {
    const id = defaultKey.parse(text);
    if (id === undefined) throw new UsageError(`${text} is not an id`);
    // As in the API, a number without a unit means seconds.
    const seconds = /^\d+$/.test(values.overlap);
    const overlap = seconds ? Number(values.overlap) : parseDuration(values.overlap, 'overlap') / 1_000;
    if (overlap > maxOverlapSeconds) throw new UsageError('--overlap takes at most 30d');
    const rotated = await withTables(io, (context) =>
      createCommands(context)({ principal: 'command line', address: null }, async (change) => {
        const stored = await lockKey(change, id);
        if (stored === undefined) throw new CommandError(`no key with the id ${id}`);
        const { audit, ...result } = await rotateKey(change, stored, overlap);
        return { audit, result: rotatedKey(stored, result) };
      }),
    );
    if (values.json === true) return io.print(JSON.stringify(rotated));
    io.print(`rotated key ${rotated.name} (id ${rotated.id})`);
    io.print(`key, shown this once: ${rotated.key}`);
    if (rotated.previous_until !== null) io.print(`the old key works until ${rotated.previous_until}`);
  },
});
