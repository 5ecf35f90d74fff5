import { defineCommand } from '../command.ts';
import { runScript } from '../script.ts';

export const command = defineCommand({
  operands: ['SCRIPT', 'ARGUMENT...'],
  options: {},
  description: [
    'Runs the function that SCRIPT exports by default, on the configured database. The function gets `records`, `sql`,',
    '`transaction`, `jobs`, `asSystem`, `as` and `args`. `records` acts for the system: validation and hooks apply,',
    'permissions and row rules do not, and the audit log has each write. `await as(NAME)` acts for a user, as the API does.',
    'The exit status is 1 if the function throws.',
    'A new database is migrated first. If migrations of another one are pending, it exits with 1 and names them.',
  ],
  examples: ['gatewright run scripts/close-orders.ts', 'gatewright run scripts/archive.ts -- 2025 --dry'],
  run: ({ operands: [path = '', ...args] }, io) => runScript(io, path, args),
});
