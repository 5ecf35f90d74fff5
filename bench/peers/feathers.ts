import { join } from 'node:path';
import { bearer, lastJson, memberOf, pageWithTotal } from './answers.ts';
import type { Durability, Folders, Peer } from './peer.ts';
import { versions } from './versions.ts';

const environmentOf = ({ data }: Pick<Folders, 'data'>): Record<string, string> => ({
  NODE_ENV: 'production',
  FEATHERS_SECRET: 'a secret of the bench',
  DATABASE_FILENAME: join(data, 'feathers.db'),
});

const own = ['feathers', 'koa', 'schema', 'typebox', 'knex', 'authentication', 'authentication-local'];

export const feathers: Peer = {
  name: 'Feathers',
  version: versions.feathers,
  packages: {
    ...Object.fromEntries(own.map((name) => [`@feathersjs/${name}`, versions.feathers])),
    knex: versions.knex,
    'better-sqlite3': versions.betterSqlite,
    winston: versions.winston,
  },
  application: 'feathers',
  sources: [import.meta.filename],
  asks: 'JWT of a user; the user is read for every request; no roles come with it',
  total: 'in every page; the service decides, not who asks',
  prepare: async (place) => lastJson(await place.run(['src/seed.mjs'], environmentOf(place))) as Durability,
  command: (folders) => ({ args: ['src/index.mjs'], env: environmentOf(folders) }),
  signIn: async (ask, user) => {
    const body = { strategy: 'local', ...user };
    return bearer(memberOf(await ask({ method: 'POST', path: '/authentication', body }), 'accessToken'));
  },
  detail: (id) => `/products/${id}`,
  page: ({ page, size, total }) =>
    total ? `/products?%24sort%5Bid%5D=1&%24limit=${size}&%24skip=${(page - 1) * size}` : undefined,
  create: (product) => ({ method: 'POST', path: '/products', body: product }),
  created: 201,
  recordOf: (answer) => answer,
  pageOf: pageWithTotal,
};
