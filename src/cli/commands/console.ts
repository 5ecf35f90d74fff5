import { defineCommand } from '../command.ts';
import { runConsole } from '../script.ts';

export const command = defineCommand({
  operands: [],
  options: {},
  description: [
    'Evaluates JavaScript on the configured database until `.exit` or Ctrl-D. `records` acts for the system, with a line',
    'of the audit log for each write. `await as(NAME)` returns the scope of a user, with the rules of the API.',
    'sql`select …` returns rows. Further names: `transaction`, `asSystem`, `jobs`, `dialect`, `now`.',
    'A new database is migrated first. If migrations of another one are pending, it exits with 1 and names them.',
  ],
  examples: ['gatewright console', `echo "await records('Order').count()" | gatewright console`],
  run: (_, io) => runConsole(io),
});
