// The tables, users and the rows; prints what the connection says of itself.
import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { hashOf } from './auth.js';
import { Product } from './product.entity.js';
import { User } from './user.entity.js';

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
const source = app.get(DataSource);
await source.synchronize();
const pragma = async (name: string) => (await source.query(`pragma ${name}`))[0][name];
const durability = { journal_mode: await pragma('journal_mode'), synchronous: await pragma('synchronous') };
const users = JSON.parse(process.env['USERS_OF_BENCH'] ?? '') as { email: string; password: string }[];
for (const { email, password } of users)
  await source.manager.insert(User, { email, passwordHash: hashOf(password).toString('hex'), role: 'clerk' });
const rows = JSON.parse(readFileSync(process.env['ROWS'] ?? '', 'utf8')) as (Omit<Product, 'released_at'> & {
  released_at: string;
})[];
const products = rows.map((row) => ({ ...row, released_at: new Date(row.released_at) }));
for (let from = 0; from < products.length; from += 100)
  await source.manager.insert(Product, products.slice(from, from + 100));
await app.close();
process.stdout.write(`\n${JSON.stringify(durability)}\n`);
