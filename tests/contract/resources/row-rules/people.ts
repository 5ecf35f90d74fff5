import type { Service, TestUser } from '../../../support/service.ts';
import type { Caller } from './oracle.ts';
import type { ModelPlan } from './plan.ts';

/** A caller, and what they send with a request. */
export interface Asking extends Caller {
  readonly headers: (body: string) => Readonly<Record<string, string>>;
  /** Query of an explanation about them. */
  readonly explained: string;
}

export interface People {
  readonly callers: readonly Asking[];
  /** Ids of all users, including users who never call. */
  readonly users: readonly number[];
  /** Writes whatever it likes. */
  readonly administrator: Asking;
}

const entries = ['create', 'update', 'destroy', 'read'];

/** One role has every entry of the permission table. */
const grantEverything = async ({ server }: Service, role: string, models: readonly ModelPlan[]) => {
  const { roles, database } = server.services;
  await roles.create(role, { principal: 'command line', address: null });
  const rows = models
    .filter(({ permissions }) => permissions !== 'none')
    .flatMap(({ name, permissions }) =>
      entries
        .filter((entry) => entry !== 'read' || permissions === 'all')
        .map((entry) => `('${role}', '${name}', '${entry}', '2024-01-01T00:00:00.000Z')`),
    );
  if (rows.length === 0) return;
  const sql = `insert into permissions (role, model, action, created_at) values ${rows.join(', ')}`;
  await database.execute({ sql, parameters: [] });
};

/** Actions that the scoped keys name for each model, in turn. */
const grants: readonly (readonly string[])[] = [
  ['read'],
  ['*'],
  ['read', 'update'],
  ['read', 'create', 'destroy'],
  [],
  ['read'],
  ['update', 'destroy'],
  ['*'],
];

/** The most scopes that a key takes, without the scopes of the endpoints. */
const maxScopes = 96;

/** Scopes of the first, second or third scoped key: each leaves out something else. */
const scopesOf = (models: readonly ModelPlan[], turn: number): readonly string[] =>
  models
    .flatMap(({ path }, index) =>
      (grants[(index + 3 * turn) % grants.length] ?? []).map((action) => `${path}:${action}`),
    )
    .slice(0, maxScopes);

const none = { userId: null, administers: false, isSuperAdmin: false, granted: false } as const;

/**
 * Users of every kind by token, by key and by keys with scopes, an application, a stranger, and a user who is disabled.
 * @param endpoints of the application, which every key may call
 */
export const createPeople = async (
  service: Service,
  models: readonly ModelPlan[],
  endpoints: readonly { readonly method: string; readonly path: string }[],
): Promise<People> => {
  await grantEverything(service, 'editor', models);
  const root = await service.admin();
  const admin = await service.createUser(['admin']);
  const editor = await service.createUser(['viewer', 'editor']);
  const [ann, ben, cleo] = [
    await service.createUser(),
    await service.createUser(),
    await service.createUser(),
  ];
  const gone = await service.createUser();
  await service.ok('PATCH', `/admin/users/${gone.id}`, { token: root, body: { user: { disabled: true } } });
  const key = await service.createKey(ben);
  const scoped = async (by: Asking, user: TestUser, ofModels: readonly string[]): Promise<Asking> => {
    const scopes = [...ofModels, ...endpoints.map(({ method, path }) => `${method} ${path}`)];
    const { key, id } = await service.createKey(user, undefined, scopes);
    return {
      ...by,
      name: `${by.name} by a scoped key`,
      method: 'api_key',
      scopes: new Set(scopes),
      headers: () => ({ 'x-api-key': key }),
      explained: `api_key_id=${id}&`,
    };
  };
  const byToken = (name: string, user: TestUser, terms: Partial<Caller> = {}): Asking => ({
    ...none,
    name,
    method: 'jwt',
    userId: user.id,
    ...terms,
    headers: () => ({ authorization: `Bearer ${user.token}` }),
    explained: `user_id=${user.id}&`,
  });
  const administrator = byToken('super_admin', root, { administers: true, isSuperAdmin: true });
  const callers: Asking[] = [
    administrator,
    byToken('admin', admin, { administers: true }),
    byToken('editor', editor, { granted: true }),
    byToken('ann', ann),
    byToken('ben', ben),
    byToken('cleo', cleo),
    {
      ...byToken('ben by key', ben),
      method: 'api_key',
      headers: () => ({ 'x-api-key': key.key }),
      explained: `api_key_id=${key.id}&`,
    },
    {
      ...none,
      name: 'an application',
      method: 'signature',
      headers: (body) => service.sign('shop', body),
      explained: 'app_id=shop&',
    },
    { ...none, name: 'nobody', method: undefined, headers: () => ({}), explained: '' },
    byToken('a disabled user', gone, { method: undefined }),
    await scoped(byToken('admin', admin, { administers: true }), admin, scopesOf(models, 0)),
    await scoped(byToken('editor', editor, { granted: true }), editor, [
      ...scopesOf(models, 1),
      'users:read',
    ]),
    await scoped(byToken('ann', ann), ann, scopesOf(models, 2)),
  ];
  const users = [root, admin, editor, ann, ben, cleo, gone].map(({ id }) => id);
  return { callers, users, administrator };
};
