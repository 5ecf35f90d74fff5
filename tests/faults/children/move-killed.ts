import { moveTo } from '../../support/move-application.ts';

/** Moves a database; prints how far it is, so that its parent can kill it anywhere. */
const [, , from = '', to = '', dataDir = ''] = process.argv;

const moved = await moveTo(from, to, dataDir, ({ doing, table, rows }) =>
  console.log(JSON.stringify({ doing, table, rows })),
);
console.log(JSON.stringify({ done: moved.rows }));
