import { join } from 'node:path';
import { lastJson, memberOf } from './answers.ts';
import type { Durability, Folders, Peer } from './peer.ts';
import { versions } from './versions.ts';

const payloadProgram = 'node_modules/payload/bin.js';
const nextProgram = 'node_modules/next/dist/bin/next';

const environmentOf = ({ data }: Pick<Folders, 'data'>): Record<string, string> => ({
  NODE_ENV: 'production',
  NEXT_TELEMETRY_DISABLED: '1',
  PAYLOAD_SECRET: 'a secret of the bench',
  DATABASE_URL: `file:${join(data, 'payload.db')}`,
});

export const payload: Peer = {
  name: 'Payload',
  version: versions.payload,
  packages: {
    payload: versions.payload,
    '@payloadcms/next': versions.payload,
    '@payloadcms/db-sqlite': versions.payload,
    next: versions.next,
    react: versions.react,
    'react-dom': versions.react,
    graphql: versions.graphql,
    typescript: versions.typescript,
    '@types/react': versions.reactTypes,
    '@types/node': versions.nodeTypes,
  },
  moduleType: 'module',
  application: 'payload',
  sources: [import.meta.filename],
  asks: 'JWT of a user; the user and its session are read for every request, access functions ask for its role',
  total: 'in every page, unless `pagination=false`',
  prepare: async (place) => {
    const env = environmentOf(place);
    await place.run([payloadProgram, 'generate:importmap'], env);
    await place.run([payloadProgram, 'migrate:create', 'initial'], env);
    await place.run([payloadProgram, 'migrate'], env);
    const durability = lastJson(await place.run([payloadProgram, 'run', 'src/seed.ts'], env)) as Durability;
    await place.run([nextProgram, 'build'], env);
    return durability;
  },
  command: (folders) => ({ args: [nextProgram, 'start'], env: environmentOf(folders) }),
  signIn: async (ask, user) => {
    const answer = await ask({ method: 'POST', path: '/api/users/login', body: user });
    return { authorization: `JWT ${String(memberOf(answer, 'token'))}` };
  },
  detail: (id) => `/api/products/${id}`,
  page: ({ page, size, total }) =>
    `/api/products?sort=id&limit=${size}&page=${page}${total ? '' : '&pagination=false'}`,
  create: (product) => ({ method: 'POST', path: '/api/products', body: product }),
  created: 201,
  recordOf: (answer) => (answer as { doc?: unknown }).doc ?? answer,
  pageOf: (answer) => ({
    records: memberOf(answer, 'docs') as unknown[],
    total: memberOf(answer, 'totalDocs') as number,
  }),
};
