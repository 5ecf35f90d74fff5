import type { Service, TestUser } from '../../support/service.ts';
import type { Combination } from './combinations.ts';
import type { Caller, Method, Presented } from './oracle.ts';

/** A caller of the table: as the oracle knows them, and what they send. */
export interface TableCaller {
  readonly name: string;
  /** The owner of a caller's records; an application and a stranger have the records without an owner. */
  readonly owner: number | null;
  readonly as: (combination: Combination) => Caller;
  readonly headers: (body: string) => Record<string, string>;
  /** Query of an explanation; undefined where the credentials are no good, for it takes good ones for granted. */
  readonly explained: string | undefined;
}

const entries = ['create', 'update', 'destroy', 'read'];

/** Roles, and the entries that they are granted on every model which has them. */
const people = {
  super_admin: { roles: ['super_admin'], granted: [] },
  admin: { roles: ['admin'], granted: [] },
  editor: { roles: ['viewer', 'editor'], granted: entries },
  clerk: { roles: ['viewer', 'clerk'], granted: ['update'] },
  viewer: { roles: ['viewer'], granted: [] },
} as const satisfies Readonly<Record<string, { roles: readonly string[]; granted: readonly string[] }>>;

/** Grants what the table's roles have. The models without reads to check have no entry for them. */
export const grantEntries = async (service: Service, combinations: readonly Combination[]): Promise<void> => {
  const { roles, database } = service.server.services;
  for (const role of ['editor', 'clerk'])
    await roles.create(role, { principal: 'command line', address: null });
  const rows = combinations.flatMap(({ model, switches }) =>
    entries
      .filter((action) => action !== 'read' || switches.permissions === 'all')
      .flatMap((action) =>
        (action === 'update' ? ['editor', 'clerk'] : ['editor']).map((role) => [role, model.name, action]),
      ),
  );
  // In one statement: a grant of its own for each, with its line of the audit log, is what other tests look at.
  const values = rows.map(
    (row) => `(${row.map((name) => `'${name}'`).join(', ')}, '2024-01-01T00:00:00.000Z')`,
  );
  const sql = `insert into permissions (role, model, action, created_at) values ${values.join(', ')}`;
  await database.execute({ sql, parameters: [] });
};

const flipped = (text: string): string => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');

const callerOf = (
  user: { readonly id: number } | undefined,
  { roles, granted }: { readonly roles: readonly string[]; readonly granted: readonly string[] },
  presents: readonly Presented[],
): TableCaller['as'] => {
  const caller = { userId: user?.id ?? null, roles, granted, presents };
  return () => caller;
};

const nothing = { roles: [], granted: [] };

const good = (method: Method): Presented => ({ method, valid: true });
const bad = (method: Method): Presented => ({ method, valid: false });

/** The credentials of a user: a token and a key, each good or spoilt. */
const wrongCallers = (user: TestUser, key: string): TableCaller[] => {
  const person = people.editor;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const caller = (
    name: string,
    presents: readonly Presented[],
    headers: Readonly<Record<string, string>>,
  ): TableCaller => ({
    name,
    owner: user.id,
    as: callerOf(user, person, presents),
    headers: () => ({ ...headers }),
    explained: undefined,
  });
  const wrongKey = 'f'.repeat(64);
  return [
    caller('a wrong token', [bad('jwt')], bearer(flipped(user.token))),
    caller('a wrong key', [bad('api_key')], { 'x-api-key': wrongKey }),
    caller('a wrong token and a key', [bad('jwt'), good('api_key')], {
      ...bearer(flipped(user.token)),
      'x-api-key': key,
    }),
    caller('a wrong key and a token', [bad('api_key'), good('jwt')], {
      ...bearer(user.token),
      'x-api-key': wrongKey,
    }),
  ];
};

const application = (service: Service, appId: string): TableCaller[] => {
  const signed = {
    owner: null,
    explained: `app_id=${appId}`,
    as: callerOf(undefined, nothing, [good('signature')]),
    headers: (body: string) => ({ ...service.sign(appId, body) }),
    name: 'an application',
  };
  const wrong = {
    ...signed,
    name: 'a wrong signature',
    explained: undefined,
    as: callerOf(undefined, nothing, [bad('signature')]),
    headers: (body: string) => ({ ...service.sign(appId, body, { secret: 'guessed' }) }),
  };
  return [signed, wrong];
};

/** Every caller, with every kind of credentials. */
export const createCallers = async (service: Service, appId: string): Promise<TableCaller[]> => {
  const callers: TableCaller[] = [];
  for (const [name, person] of Object.entries(people)) {
    const user = await service.createUser(person.roles);
    const key = await service.createKey(user);
    const common = { owner: user.id };
    callers.push(
      {
        ...common,
        name: `${name} by token`,
        as: callerOf(user, person, [good('jwt')]),
        headers: () => ({ authorization: `Bearer ${user.token}` }),
        explained: `user_id=${user.id}`,
      },
      {
        ...common,
        name: `${name} by key`,
        as: callerOf(user, person, [good('api_key')]),
        headers: () => ({ 'x-api-key': key.key }),
        explained: `api_key_id=${key.id}`,
      },
    );
    if (name === 'editor') callers.push(...wrongCallers(user, key.key));
  }
  const stranger = {
    name: 'nobody',
    owner: null,
    as: callerOf(undefined, nothing, []),
    headers: () => ({}),
    explained: '',
  };
  return [...callers, ...application(service, appId), stranger];
};
