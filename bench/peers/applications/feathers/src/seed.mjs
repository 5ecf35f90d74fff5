// The tables, users and the rows; prints what the connection says of itself.
import { readFileSync } from 'node:fs';
import { app } from './app.mjs';

const db = app.get('sqliteClient');
const pragma = async (name) => (await db.raw(`pragma ${name}`))[0][name];
const durability = { journal_mode: await pragma('journal_mode'), synchronous: await pragma('synchronous') };
await db.schema.createTable('users', (table) => {
  table.increments('id');
  table.string('email').unique();
  table.string('password');
});
await db.schema.createTable('products', (table) => {
  table.increments('id');
  for (const name of ['name', 'category']) table.string(name).notNullable();
  table.text('description').notNullable();
  table.integer('stock').notNullable();
  for (const name of ['price', 'rating']) table.float(name).notNullable();
  table.boolean('active').notNullable();
  for (const name of ['released_at', 'created_at', 'updated_at']) table.string(name).notNullable();
});
for (const user of JSON.parse(process.env.USERS_OF_BENCH)) await app.service('users').create(user);
const rows = JSON.parse(readFileSync(process.env.ROWS, 'utf8'));
const now = new Date().toISOString();
await db.batchInsert(
  'products',
  rows.map((row) => ({ ...row, created_at: now, updated_at: now })),
  50,
);
await db.destroy();
process.stdout.write(`\n${JSON.stringify(durability)}\n`);
