import { join } from 'node:path';
import { bearer, lastJson, memberOf, pageWithTotal } from './answers.ts';
import type { Durability, Folders, Peer } from './peer.ts';
import { versions } from './versions.ts';

const environmentOf = ({ data }: Pick<Folders, 'data'>): Record<string, string> => ({
  NODE_ENV: 'production',
  JWT_SECRET: 'a secret of the bench',
  DATABASE_FILENAME: join(data, 'nest.db'),
});

export const nest: Peer = {
  name: 'NestJS + TypeORM',
  version: `${versions.nest}, ${versions.typeorm}`,
  packages: {
    '@nestjs/common': versions.nest,
    '@nestjs/core': versions.nest,
    '@nestjs/platform-express': versions.nest,
    '@nestjs/typeorm': versions.nestTypeorm,
    '@nestjs/jwt': versions.nestJwt,
    typeorm: versions.typeorm,
    'better-sqlite3': versions.betterSqliteBefore,
    'class-validator': versions.classValidator,
    'class-transformer': versions.classTransformer,
    'reflect-metadata': versions.reflectMetadata,
    rxjs: versions.rxjs,
    typescript: versions.typescript,
    '@types/express': versions.expressTypes,
    '@types/node': versions.nodeTypes,
  },
  moduleType: 'module',
  application: 'nest',
  sources: [import.meta.filename],
  asks: 'JWT, whose word is taken for user and role, as in the guards of the documentation',
  total: 'in every page, by `findAndCount`',
  prepare: async (place) => {
    await place.run(['node_modules/typescript/bin/tsc']);
    return lastJson(await place.run(['dist/seed.js'], environmentOf(place))) as Durability;
  },
  command: (folders) => ({ args: ['dist/main.js'], env: environmentOf(folders) }),
  signIn: async (ask, user) => {
    const answer = await ask({ method: 'POST', path: '/auth/login', body: user });
    return bearer(memberOf(answer, 'access_token'));
  },
  detail: (id) => `/products/${id}`,
  page: ({ page, size, total }) => (total ? `/products?page=${page}&per_page=${size}` : undefined),
  create: (product) => ({ method: 'POST', path: '/products', body: product }),
  created: 201,
  recordOf: (answer) => answer,
  pageOf: pageWithTotal,
};
