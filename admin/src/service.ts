import type { Identifier } from 'ra-core';
import { GatewrightError } from '../../client/error.ts';
import { createAuthProvider, type SessionUser } from '../../client/react-admin/auth-provider.ts';
import {
  createDataProvider,
  everyRecord,
  type ResourceRoute,
  type Send,
} from '../../client/react-admin/data-provider.ts';
import {
  type Answer,
  createTransport,
  type RequestOptions,
  type TransportOptions,
} from '../../client/transport.ts';
import { problemTable } from '../../src/kernel/problem-table.ts';
import { displayFields } from '../../src/model/display.ts';
import { factorDue, passwordDue } from './account/due.ts';
import { type SignedIn, sessionEnd } from './account/session-end.ts';
import { sessionHint } from './account/session-hint.ts';
import { basePath } from './base.ts';
import { exactJson } from './exact.ts';
import { withoutWords } from './parts/date-words.ts';
import { madeOnce } from './parts/made-once.ts';
import { inTime } from './parts/time-limit.ts';
import { queryClient } from './query-client.ts';
import { linesOf } from './records/lines.ts';
import type { ListedField, Metadata, ModelEntry } from './records/metadata.ts';
import { type AnyRecord, userDisplay } from './records/record.ts';
import { i18nProvider, type Language, serviceLanguage } from './texts/provider.ts';

/** The administration area of the service that sent this page; the browser adds the session cookie. */
const options: TransportOptions = {
  baseUrl: basePath,
  // A service with LOCALE=auto writes its messages in the language of the pages, not in that of the browser.
  fetch: (input, { headers, ...init } = {}) => {
    const all = new Headers(headers);
    all.set('Accept-Language', i18nProvider.getLocale());
    return fetch(input, { ...init, headers: all });
  },
};
const transport = createTransport(options, exactJson);

const sendOnce = madeOnce(transport.send);

/** The refusals of every route until something is done that has to come first. */
const noteDue = (error: unknown): never => {
  if (error instanceof GatewrightError) {
    if (error.code === problemTable.password_change_required) passwordDue.set(true);
    if (error.code === problemTable.second_factor_due) factorDue.set(true);
  }
  throw error;
};

const sessionPath = '/admin/session';

const isRefusedSession = (error: unknown): boolean =>
  error instanceof GatewrightError && error.status === 401;

/** Sends what was refused for want of a session once more, when the same user is signed in again. */
const whileSignedIn = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRefusedSession(error)) throw error;
      const again = sessionEnd.signedInAgain();
      if (again === undefined) throw error;
      await again;
    }
  }
};

/** Where a sign-in goes on that asks for a second factor, and where one with a provider ends. */
const secondStepPath = `${sessionPath}/second-factor`;
const providerCodePath = `${sessionPath}/code`;

/** The user of a session. */
type SessionSays = SignedIn & Pick<SessionUser, 'must_change_password' | 'second_factor'>;

const noteSession = (method: string, path: string, { data }: Answer<unknown>): void => {
  if (![sessionPath, secondStepPath, providerCodePath].includes(path)) return;
  const session = method === 'DELETE' ? undefined : (data as SessionSays);
  passwordDue.set(session?.must_change_password === true);
  factorDue.set(session?.second_factor.due === true);
  if (session === undefined) return;
  sessionHint.set(true);
  sessionEnd.begun(session);
};

/** A sign-in that is refused and a sign-out are about no session that could end. */
const isAboutSession = (method: string, path: string): boolean =>
  path === secondStepPath || path === providerCodePath || (path === sessionPath && method !== 'GET');

/** The user signs out: no dialog asks to sign in again. */
const endsSession = (method: string, path: string): boolean =>
  method === 'DELETE' && (path === sessionPath || path === '/admin/sessions');

/** Sends one request, and again after the end of a session; each time for as long as `attempt` waits. */
const sendBy =
  (attempt: Send): Send =>
  async <Data>(method: string, path: string, options: RequestOptions = {}) => {
    const stay = endsSession(method, path) ? sessionEnd.left() : undefined;
    const once = () => attempt<Data>(method, path, options);
    try {
      const answer = await (isAboutSession(method, path) ? once() : whileSignedIn(once));
      noteSession(method, path, answer);
      if (endsSession(method, path)) sessionHint.set(false);
      // Metadata says what the signed-in user may do.
      if (method !== 'GET' && path.startsWith('/admin/permissions')) forgetModels();
      if (method !== 'GET') await queryClient.invalidateQueries({ refetchType: 'none' });
      return answer;
    } catch (error) {
      stay?.();
      if (method === 'GET' && path === sessionPath && isRefusedSession(error)) sessionHint.set(false);
      return noteDue(error);
    }
  };

/** Sends a request; a page that is entered after a write reads again, however lately it was read before. */
export const send: Send = sendBy((method, path, options = {}) =>
  inTime(options.signal, (signal) => sendOnce(method, path, { ...options, signal })),
);

/** The same without a time limit. */
const sendUnlimited: Send = sendBy(transport.send);

/** Reads the user of the session again, once they have done what was due. */
export const renewSession = async (): Promise<void> => {
  await send<unknown>('GET', sessionPath);
};

/** Asks whether somebody is signed in by now. */
export const lookForSession = async (): Promise<void> => {
  try {
    noteSession('GET', sessionPath, await transport.send<unknown>('GET', sessionPath));
  } catch {
    // No user is signed in, or there is no response: the dialog stays.
  }
};

/** Opens a response that arrives piece by piece. Its reader tries again. */
export const openStream = (path: string, options: RequestOptions): Promise<Response> =>
  whileSignedIn(() => transport.request('GET', path, { ...options, repeatable: false })).catch(noteDue);

const fixed: Readonly<Record<string, ResourceRoute>> = {
  api_keys: { path: '/admin/api_keys', singular: 'api_key' },
  users: { path: '/admin/users', singular: 'user' },
  roles: { path: '/admin/roles', singular: 'role', key: 'name' },
  applications: { path: '/admin/applications', singular: 'application', key: 'app_id', detail: false },
  payments: { path: '/admin/payments', singular: 'payment', detail: false },
  refusals: { path: '/admin/refusals', singular: 'refusal', detail: false },
  audit: { path: '/admin/audit', singular: 'audit', detail: false },
  webhooks: { path: '/admin/webhooks', singular: 'webhook' },
  jobs: { path: '/admin/jobs', singular: 'job', detail: false },
  routes: { path: '/admin/routes', singular: 'route', key: 'name', detail: false },
  schedules: { path: '/admin/schedules', singular: 'schedule', key: 'name', detail: false },
  sessions: { path: '/admin/sessions', singular: 'session', detail: false },
};

/** Resources of the application are called `records/orders` here, as their paths are. */
export const recordsPrefix = 'records/';

let models: Promise<readonly ModelEntry[]> | undefined;
/** By address. */
const described = new Map<string, Promise<unknown>>();

/** Forgets a failure, so that the next call tries again. */
const remembered = <T>(promise: Promise<T>, forget: () => void): Promise<T> => {
  promise.catch(forget);
  return promise;
};

/** The models of the application. They change with a new start of the service only, so they are asked for once. */
export const loadModels = (): Promise<readonly ModelEntry[]> => {
  models ??= remembered(
    send<readonly ModelEntry[]>('GET', '/admin/meta').then(({ data }) => data),
    () => {
      models = undefined;
    },
  );
  return models;
};

/** Facts that do not change while the service runs, and are asked for once. */
const loadOnce = <Data>(address: string): Promise<Data> => {
  const known =
    described.get(address) ??
    remembered(
      send<Data>('GET', address).then(({ data }) => data),
      () => described.delete(address),
    );
  described.set(address, known);
  return known as Promise<Data>;
};

export const loadMetadata = (model: string, language: Language): Promise<Metadata> =>
  loadOnce(`/admin/meta/${encodeURIComponent(model)}?lang=${language}`);

/** The fields of a list of the service's own. */
export const loadListFields = async (list: string, language: Language): Promise<readonly ListedField[]> =>
  (await loadOnce<{ readonly fields: readonly ListedField[] }>(`/admin/lists/${list}?lang=${language}`))
    .fields;

/** The models under their names in a language; the list itself knows them in that of the service only. */
export const loadModelsIn = async (language: Language): Promise<readonly ModelEntry[]> => {
  const entries = await loadModels();
  if (language === serviceLanguage) return entries;
  return Promise.all(
    entries.map(async (entry) => {
      const { label, menu = null } = await loadMetadata(entry.model, language);
      return { ...entry, label, menu };
    }),
  );
};

/** Cached data belongs to the user who was signed in. */
export const forgetModels = (): void => {
  models = undefined;
  described.clear();
};

/** The deliveries of a webhook are a list of their own: `webhooks/5/deliveries`. */
const deliveries = /^webhooks\/\d+\/deliveries$/;

/** Those who hold a role: `roles/editor/users`. */
const holders = /^roles\/[a-z0-9_]+\/users$/;

const entryAt = async (path: string): Promise<ModelEntry> => {
  const entry = (await loadModels()).find((each) => each.path === path);
  if (entry === undefined) throw new Error(`there is no resource ${path}`);
  return entry;
};

const routeOf = async (resource: string): Promise<ResourceRoute> => {
  const known = fixed[resource];
  if (known !== undefined) return known;
  if (holders.test(resource)) return { path: `/admin/${resource}`, singular: 'user', detail: false };
  if (deliveries.test(resource)) return { path: `/admin/${resource}`, singular: 'delivery', detail: false };
  const entry = await entryAt(resource.slice(recordsPrefix.length));
  const metadata = await loadMetadata(entry.model, serviceLanguage);
  const within = [...linesOf(metadata, 'create'), ...linesOf(metadata, 'update')];
  const paths = new Map((await loadModels()).map((each) => [each.model, each.path]));
  const relations = Object.fromEntries(
    within.map(({ name, model }) => [name, { resource: recordsPrefix + paths.get(model), write: true }]),
  );
  return { path: `/admin/${resource}`, singular: metadata.singular, relations };
};

/** The deleted records of `records/orders` are the resource `trash/orders` here. */
export const trashPrefix = 'trash/';

/** The names of `records/orders`, and those of `users`, are the resources `names/orders` and `names/users` here. */
export const namesPrefix = 'names/';

/** Records that one request reads: their ids stand in its address. */
const readAtOnce = 200;

/** Reads some fields of the records with these ids. @param list address of their list: `/admin/records/orders` */
export const readByIds = async (
  list: string,
  ids: readonly Identifier[],
  fields: readonly string[],
  signal?: AbortSignal,
): Promise<readonly AnyRecord[]> => {
  const records: AnyRecord[] = [];
  for (let first = 0; first < ids.length; first += readAtOnce) {
    const some = ids.slice(first, first + readAtOnce);
    const query = new URLSearchParams({
      'filter[id][in]': some.join(','),
      fields: ['id', ...fields].join(','),
      per_page: String(some.length),
    });
    records.push(...(await send<AnyRecord[]>('GET', `${list}?${query}`, { signal })).data);
  }
  return records;
};

/** Reads records by their ids, with the fields of their names alone. @param path `users`, or that of a model: `orders` */
export const readNames = async (
  path: string,
  ids: readonly Identifier[],
  signal?: AbortSignal,
): Promise<readonly AnyRecord[]> => {
  const isUsers = path === 'users';
  const display = isUsers ? userDisplay : (await entryAt(path)).display;
  const list = isUsers ? '/admin/users' : `/admin/${recordsPrefix}${path}`;
  return readByIds(list, ids, displayFields(display ?? ''), signal);
};

const provider = createDataProvider({ send, routeOf });

/** One page of what was deleted. Its order is the service's: nothing is filtered or sorted. */
const listTrash: typeof provider.getList = async (resource, { pagination, signal }) => {
  const { page = 1, perPage = 25 } = pagination ?? {};
  const path = `/admin/${recordsPrefix}${resource.slice(trashPrefix.length)}`;
  const { data, headers } = await send<never[]>(
    'GET',
    `${path}?trashed=true&page=${page}&per_page=${perPage}`,
    { signal },
  );
  return { data, total: Number(headers.get('x-total-count') ?? data.length) };
};

export const dataProvider: typeof provider = {
  ...provider,
  getMany: async (resource, params) => {
    if (!resource.startsWith(namesPrefix)) return provider.getMany(resource, params);
    const { ids, signal } = params as typeof params & { readonly signal?: AbortSignal };
    return { data: (await readNames(resource.slice(namesPrefix.length), ids, signal)) as never[] };
  },
  getList: (resource, params) =>
    resource.startsWith(trashPrefix)
      ? listTrash(resource, params)
      : provider.getList(resource, { ...params, filter: withoutWords(params.filter ?? {}, new Date()) }),
};

/** The refusal of a request about a session, without the request: this browser has none. */
const noSession = new GatewrightError({ status: 401, code: problemTable.invalid_session, message: '' });

const authentication = createAuthProvider((method, path, options) =>
  method === 'POST' || sessionHint.get() ? send(method, path, options) : Promise.reject(noSession),
);

export const authProvider: typeof authentication = {
  ...authentication,
  logout: async (params) => {
    forgetModels();
    return authentication.logout(params);
  },
};

/** Every record of a list as it is filtered and sorted, in pages of 1,000. */
export const exportRecords = (
  resource: string,
  params: Parameters<typeof everyRecord>[2],
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> =>
  everyRecord({ send: sendUnlimited, routeOf }, resource, {
    ...params,
    filter: withoutWords(params.filter ?? {}, new Date()),
  });
