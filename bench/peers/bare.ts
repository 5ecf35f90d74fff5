import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { jwtSecret, root, token } from '../data.ts';
import { bearer, dataOf, pageWithHeader, people } from './answers.ts';
import { fill, fullDurability } from './fill.ts';
import type { Peer } from './peer.ts';

const databaseIn = (data: string): string => join(data, 'bare.db');

const tables = `
  pragma journal_mode = wal;
  create table users (id integer primary key, email text not null unique, disabled integer not null default 0);
  insert into users (email) values ${people.users.map(({ email }) => `('${email}')`).join(', ')};
  create table products (id integer primary key autoincrement, name text not null, description text not null,
    stock integer not null, price real not null, rating real not null, active integer not null,
    category text not null, released_at text not null, created_at text not null, updated_at text not null);
`;

export const bare: Peer = {
  name: 'bare server',
  version: 'node:http, node:sqlite',
  packages: {},
  sources: [import.meta.filename],
  asks: 'JWT; the user is read for every request; no roles, hardly any validation',
  total: 'in every page, unless asked to leave it out',
  prepare: async ({ data }, rows) => {
    const db = new DatabaseSync(databaseIn(data));
    db.exec(tables);
    db.close();
    fill(databaseIn(data), rows);
    return fullDurability(databaseIn(data));
  },
  command: ({ data }) => ({
    args: [join(root, 'bench/peers/bare-server.ts')],
    env: { DATABASE: databaseIn(data), JWT_SECRET: jwtSecret },
  }),
  signIn: async (_ask, _user, number) => bearer(token(number + 1)),
  detail: (id) => `/products/${id}`,
  page: ({ page, size, total }) => `/products?page=${page}&per_page=${size}${total ? '' : '&total=none'}`,
  create: (product) => ({ method: 'POST', path: '/products', body: { product } }),
  created: 201,
  recordOf: dataOf,
  pageOf: pageWithHeader,
};
