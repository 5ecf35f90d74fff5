import { join } from 'node:path';
import { bearer, dataOf, lastJson, memberOf, people } from './answers.ts';
import type { Ask, Asked, Durability, Folders, Headers, Peer } from './peer.ts';
import { categories } from './product.ts';
import { versions } from './versions.ts';

const program = 'node_modules/directus/cli.js';

const environmentOf = ({ data }: Pick<Folders, 'data'>): Record<string, string> => ({
  NODE_ENV: 'production',
  DB_CLIENT: 'sqlite3',
  DB_FILENAME: join(data, 'directus.db'),
  SECRET: 'a secret of the bench, long enough for it',
  PUBLIC_URL: 'http://127.0.0.1',
  STORAGE_LOCAL_ROOT: join(data, 'uploads'),
  EXTENSIONS_PATH: join(data, 'extensions'),
  TELEMETRY: 'false',
  LOG_LEVEL: 'warn',
  // A server that is busy all the time answers 503 otherwise.
  PRESSURE_LIMITER_ENABLED: 'false',
});

const signInAs = async (ask: Ask, person: object): Promise<Headers> => {
  const answer = await ask({ method: 'POST', path: '/auth/login', body: person });
  return bearer(memberOf(dataOf(answer), 'access_token'));
};

const field = (name: string, type: string, more: object = {}): object => ({
  field: name,
  type,
  schema: { is_nullable: false },
  meta: { required: true },
  ...more,
});

/** A moment that the product sets by itself. */
const stamp = (name: string, special: string): object => ({
  field: name,
  type: 'timestamp',
  schema: {},
  meta: { special: [special], readonly: true, hidden: true },
});

const choices = categories.map((value) => ({ text: value, value }));

const collection = {
  collection: 'products',
  schema: {},
  meta: {},
  fields: [
    { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true }, meta: {} },
    field('name', 'string', { schema: { is_nullable: false, max_length: 200 } }),
    field('description', 'text'),
    field('stock', 'integer'),
    field('price', 'float'),
    field('rating', 'float'),
    field('active', 'boolean', { meta: { required: true, special: ['cast-boolean'] } }),
    field('category', 'string', {
      meta: { required: true, interface: 'select-dropdown', options: { choices } },
    }),
    field('released_at', 'timestamp'),
    stamp('created_at', 'date-created'),
    stamp('updated_at', 'date-updated'),
  ],
};

/** Rules within a policy, as for what a category may be, take a licence. */
const permissions = ['read', 'create'].map((action) => ({ collection: 'products', action, fields: ['*'] }));

const batch = 500;

const furnish = async (ask: Ask, rows: readonly object[]): Promise<void> => {
  const admin = await signInAs(ask, people.admin);
  const post = (path: string, body: unknown): Promise<unknown> => ask({ method: 'POST', path, body }, admin);
  await post('/collections', collection);
  const policy = dataOf(await post('/policies', { name: 'clerk', admin_access: false, app_access: false }));
  const id = memberOf(policy, 'id');
  for (const permission of permissions) await post('/permissions', { policy: id, ...permission });
  const role = dataOf(await post('/roles', { name: 'clerk', policies: [{ policy: id }] }));
  await post(
    '/users',
    people.users.map((user) => ({ ...user, role: memberOf(role, 'id') })),
  );
  for (let from = 0; from < rows.length; from += batch)
    await post('/items/products', rows.slice(from, from + batch));
};

/** Asks the product's own connection. */
const probe = `
  import connect from '@directus/api/database/index';
  const database = connect();
  const pragma = async (name) => (await database.raw('pragma ' + name))[0][name];
  const durability = { journal_mode: await pragma('journal_mode'), synchronous: await pragma('synchronous') };
  process.stdout.write('\\n' + JSON.stringify(durability) + '\\n', () => process.exit(0));
`;

const create = (product: object): Asked => ({ method: 'POST', path: '/items/products', body: product });

export const directus: Peer = {
  name: 'Directus',
  version: versions.directus,
  packages: { directus: versions.directus },
  node: versions.nodeBefore,
  sources: [import.meta.filename],
  asks: 'JWT of a user whose role has a policy for the collection',
  total: 'only where it is asked for, with `meta=total_count`, as it was here',
  prepare: async (place, rows) => {
    const env = environmentOf(place);
    const { email: ADMIN_EMAIL, password: ADMIN_PASSWORD } = people.admin;
    await place.run([program, 'bootstrap'], { ...env, ADMIN_EMAIL, ADMIN_PASSWORD });
    await place.serve((ask) => furnish(ask, rows));
    return lastJson(await place.run(['--input-type=module', '-e', probe], env)) as Durability;
  },
  command: (folders) => ({ args: [program, 'start'], env: environmentOf(folders) }),
  signIn: signInAs,
  detail: (id) => `/items/products/${id}`,
  page: ({ page, size, total }) =>
    `/items/products?sort=id&limit=${size}&page=${page}${total ? '&meta=total_count' : ''}`,
  create,
  created: 200,
  recordOf: dataOf,
  pageOf: (answer) => {
    const total = (answer as { meta?: { total_count?: number } }).meta?.total_count;
    return { records: dataOf(answer) as unknown[], ...(total === undefined ? {} : { total }) };
  },
};
