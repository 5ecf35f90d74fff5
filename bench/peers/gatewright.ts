import { join } from 'node:path';
import { password as adminPassword, commandLine, environment, root } from '../data.ts';
import { bearer, dataOf, memberOf, pageWithHeader, people } from './answers.ts';
import { fill, fullDurability } from './fill.ts';
import type { Ask, Headers, Peer } from './peer.ts';

const application = join(root, 'bench/products');
const databaseIn = (data: string): string => join(data, 'gatewright.db');
const environmentOf = (data: string): Record<string, string> =>
  environment(data, `sqlite:${databaseIn(data)}`);

const signInAs = async (ask: Ask, account: string, password: string): Promise<Headers> => {
  const answer = await ask({ method: 'POST', path: '/api/v1/auth/login', body: { account, password } });
  return bearer(memberOf(dataOf(answer), 'token'));
};

/** A role that may read and create products, and nothing else. */
const makeClerk = async (ask: Ask): Promise<void> => {
  const admin = await signInAs(ask, 'admin', adminPassword);
  await ask({ method: 'POST', path: '/admin/roles', body: { role: { name: 'clerk' } } }, admin);
  for (const action of ['read', 'create'])
    await ask({ method: 'PUT', path: `/admin/permissions/clerk/Product/${action}` }, admin);
};

export const gatewright: Peer = {
  name: 'Gatewright',
  version: 'this checkout',
  packages: {},
  sources: [import.meta.filename, application],
  asks: 'JWT; user, roles and their rights are read from the database for every request',
  total: 'in every page, unless `total=none`',
  prepare: async (place, rows) => {
    const run = commandLine(environmentOf(place.data), application);
    run(['migrate']);
    await place.serve(makeClerk);
    for (const { email, password } of people.users) {
      const user = ['--username', email.replace(/@.*/, ''), '--email', email, '--role', 'clerk'];
      run(['user', 'create', ...user, '--password-stdin'], password);
    }
    fill(databaseIn(place.data), rows);
    return fullDurability(databaseIn(place.data));
  },
  command: ({ data }) => ({
    args: ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'],
    env: environmentOf(data),
    cwd: application,
  }),
  signIn: (ask, { email, password }) => signInAs(ask, email, password),
  detail: (id) => `/api/v1/products/${id}`,
  page: ({ page, size, total }) =>
    `/api/v1/products?sort=id&per_page=${size}&page=${page}${total ? '' : '&total=none'}`,
  create: (product) => ({ method: 'POST', path: '/api/v1/products', body: { product } }),
  created: 201,
  recordOf: dataOf,
  pageOf: pageWithHeader,
};
