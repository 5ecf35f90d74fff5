import { join } from 'node:path';
import { bearer, dataOf, lastJson, memberOf } from './answers.ts';
import type { Durability, Folders, Peer } from './peer.ts';
import { versions } from './versions.ts';

const program = 'node_modules/@strapi/strapi/bin/strapi.js';

const environmentOf = ({ data }: Pick<Folders, 'data'>): Record<string, string> => ({
  NODE_ENV: 'production',
  APP_KEYS: 'first key of the bench,second key of the bench',
  API_TOKEN_SALT: 'salt of the bench',
  ADMIN_JWT_SECRET: 'a secret of the bench for administrators',
  TRANSFER_TOKEN_SALT: 'another salt of the bench',
  ENCRYPTION_KEY: 'a key of the bench to encrypt with',
  JWT_SECRET: 'a secret of the bench for users',
  STRAPI_TELEMETRY_DISABLED: 'true',
  DATABASE_FILENAME: join(data, 'strapi.db'),
});

const pagination = (page: number, size: number): string =>
  `pagination%5Bpage%5D=${page}&pagination%5BpageSize%5D=${size}`;

export const strapi: Peer = {
  name: 'Strapi',
  version: versions.strapi,
  packages: {
    '@strapi/strapi': versions.strapi,
    '@strapi/plugin-users-permissions': versions.strapi,
    'better-sqlite3': versions.betterSqliteBefore,
    react: versions.reactBefore,
    'react-dom': versions.reactBefore,
    'react-router-dom': versions.reactRouter,
    'styled-components': versions.styledComponents,
  },
  application: 'strapi',
  sources: [import.meta.filename],
  asks: 'JWT of a user (Users & Permissions); user, role and its permissions are read for every request',
  total: 'in every page, unless `pagination[withCount]=false`',
  prepare: async (place) => {
    const env = environmentOf(place);
    await place.run([program, 'build'], env);
    return lastJson(await place.run(['seed.js'], env)) as Durability;
  },
  command: (folders) => ({ args: [program, 'start'], env: environmentOf(folders) }),
  signIn: async (ask, { email: identifier, password }) => {
    const answer = await ask({ method: 'POST', path: '/api/auth/local', body: { identifier, password } });
    return bearer(memberOf(answer, 'jwt'));
  },
  detail: (key) => `/api/products/${key}`,
  page: ({ page, size, total }) =>
    `/api/products?sort=id&${pagination(page, size)}${total ? '' : '&pagination%5BwithCount%5D=false'}`,
  create: (data) => ({ method: 'POST', path: '/api/products', body: { data } }),
  created: 201,
  recordOf: dataOf,
  pageOf: (answer) => {
    const { total } = memberOf(memberOf(answer, 'meta'), 'pagination') as { total?: number };
    return { records: dataOf(answer) as unknown[], ...(total === undefined ? {} : { total }) };
  },
  keyOf: (record) => String(memberOf(record, 'documentId')),
};
