/** The connection to the service: requests with the session, the data provider of react-admin, and cached metadata. */

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
import { createdOnce } from './parts/created-once.ts';
import { withResolvedWords } from './parts/date-words.ts';
import { withTimeLimit } from './parts/time-limit.ts';
import { queryClient } from './query-client.ts';
import { linesOf } from './records/lines.ts';
import type { ListedField, Metadata, ModelEntry } from './records/metadata.ts';
import { type AnyRecord, userDisplay } from './records/record.ts';
import { i18nProvider, type Language, serviceLanguage } from './texts/provider.ts';

/** The administration area of the service that sent this page; the browser adds the session cookie. */
const options: TransportOptions = {
  baseUrl: basePath,
  // A form never loses a value without a word.
  strict: true,
  // A service with LOCALE=auto writes its messages in the language of the pages, not of the browser.
  fetch: (input, { headers, ...init } = {}) => {
    const all = new Headers(headers);
    all.set('Accept-Language', i18nProvider.getLocale());
    return fetch(input, { ...init, headers: all });
  },
};
const transport = createTransport(options, exactJson);

const sendOnce = createdOnce(transport.send);

/** Notes refusals of every route that require a step of the user first. */
const noteRequiredStep = (error: unknown): never => {
  if (error instanceof GatewrightError) {
    if (error.code === problemTable.password_change_required) passwordDue.set(true);
    if (error.code === problemTable.second_factor_due) factorDue.set(true);
  }
  throw error;
};

const sessionPath = '/admin/session';

const isRefusedSession = (error: unknown): boolean =>
  error instanceof GatewrightError && error.status === 401;

/** Repeats a request that was refused for lack of a session, once the same user has signed in again. */
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

/** Paths of the second step of a sign-in, and of the end of a sign-in with a provider. */
const secondStepPath = `${sessionPath}/second-factor`;
const providerCodePath = `${sessionPath}/code`;

/** The user of a session, as responses describe it. */
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

/** A refused sign-in, and a sign-out, are not about a session that could end. */
const isAboutSession = (method: string, path: string): boolean =>
  path === secondStepPath || path === providerCodePath || (path === sessionPath && method !== 'GET');

/** A sign-out: no dialog asks to sign in again. */
const endsSession = (method: string, path: string): boolean =>
  method === 'DELETE' && (path === sessionPath || path === '/admin/sessions');

/** Sends a request, and again after the end of a session; `attempt` limits each time. */
const sendBy =
  (attempt: Send): Send =>
  async <Data>(method: string, path: string, options: RequestOptions = {}) => {
    const stay = endsSession(method, path) ? sessionEnd.left() : undefined;
    const once = () => attempt<Data>(method, path, options);
    try {
      const answer = await (isAboutSession(method, path) ? once() : whileSignedIn(once));
      noteSession(method, path, answer);
      if (endsSession(method, path)) sessionHint.set(false);
      // Metadata depends on the permissions of the signed-in user.
      if (method !== 'GET' && path.startsWith('/admin/permissions')) forgetModels();
      if (method !== 'GET') await queryClient.invalidateQueries({ refetchType: 'none' });
      return answer;
    } catch (error) {
      stay?.();
      if (method === 'GET' && path === sessionPath && isRefusedSession(error)) sessionHint.set(false);
      return noteRequiredStep(error);
    }
  };

/** Sends a request. After a write, pages read their data again when they are opened. */
export const send: Send = sendBy((method, path, options = {}) =>
  withTimeLimit(options.signal, (signal) => sendOnce(method, path, { ...options, signal })),
);

/** Sends a request without a time limit. */
const sendUnlimited: Send = sendBy(transport.send);

/** Reads the user of the session again after a required step. */
export const renewSession = async (): Promise<void> => {
  await send<unknown>('GET', sessionPath);
};

/** Checks for a sign-in on another page. */
export const lookForSession = async (): Promise<void> => {
  try {
    noteSession('GET', sessionPath, await transport.send<unknown>('GET', sessionPath));
  } catch {
    // No user is signed in, or there is no response: the dialog stays.
  }
};

/** Opens a streamed response. Its reader tries again after failures. */
export const openStream = (path: string, options: RequestOptions): Promise<Response> =>
  whileSignedIn(() => transport.request('GET', path, { ...options, repeatable: false })).catch(
    noteRequiredStep,
  );

const fixed: Readonly<Record<string, ResourceRoute>> = {
  api_keys: { path: '/admin/api_keys', singular: 'api_key' },
  users: { path: '/admin/users', singular: 'user' },
  roles: { path: '/admin/roles', singular: 'role', key: 'name' },
  applications: { path: '/admin/applications', singular: 'application', key: 'app_id', detail: false },
  payments: { path: '/admin/payments', singular: 'payment', detail: false },
  refusals: { path: '/admin/refusals', singular: 'refusal', detail: false },
  audit: { path: '/admin/audit', singular: 'audit' },
  webhooks: { path: '/admin/webhooks', singular: 'webhook' },
  jobs: { path: '/admin/jobs', singular: 'job' },
  routes: { path: '/admin/routes', singular: 'route', key: 'name', detail: false },
  schedules: { path: '/admin/schedules', singular: 'schedule', key: 'name', detail: false },
  sessions: { path: '/admin/sessions', singular: 'session', detail: false },
};

/** Prefix of resources of the application, as in their paths: `records/orders`. */
export const recordsPrefix = 'records/';

let models: Promise<readonly ModelEntry[]> | undefined;
/** Cached responses by address. */
const cache = new Map<string, Promise<unknown>>();

/** Drops a failed promise, so that the next call tries again. */
const forgetOnFailure = <T>(promise: Promise<T>, forget: () => void): Promise<T> => {
  promise.catch(forget);
  return promise;
};

/** The models of the application. They change only with a restart of the service, so they are requested once. */
export const loadModels = (): Promise<readonly ModelEntry[]> => {
  models ??= forgetOnFailure(
    send<readonly ModelEntry[]>('GET', '/admin/meta').then(({ data }) => data),
    () => {
      models = undefined;
    },
  );
  return models;
};

/** Loads data that does not change while the service runs, once. */
const loadOnce = <Data>(address: string): Promise<Data> => {
  const known =
    cache.get(address) ??
    forgetOnFailure(
      send<Data>('GET', address).then(({ data }) => data),
      () => cache.delete(address),
    );
  cache.set(address, known);
  return known as Promise<Data>;
};

export const loadMetadata = (model: string, language: Language): Promise<Metadata> =>
  loadOnce(`/admin/meta/${encodeURIComponent(model)}?lang=${language}`);

/** The fields of a list of the service. */
export const loadListFields = async (list: string, language: Language): Promise<readonly ListedField[]> =>
  (await loadOnce<{ readonly fields: readonly ListedField[] }>(`/admin/lists/${list}?lang=${language}`))
    .fields;

/** The models with labels in a language; the list of models has only the labels in the language of the service. */
export const loadModelsIn = async (language: Language): Promise<readonly ModelEntry[]> => {
  const entries = await loadModels();
  if (language === serviceLanguage) return entries;
  return Promise.all(
    entries.map(async (entry) => {
      const { label, plural_label, menu = null } = await loadMetadata(entry.model, language);
      return { ...entry, label, plural_label, menu };
    }),
  );
};

/** Cached data belongs to the signed-in user. */
export const forgetModels = (): void => {
  models = undefined;
  cache.clear();
};

/** The deliveries of a webhook are a resource: `webhooks/5/deliveries`. */
const deliveries = /^webhooks\/\d+\/deliveries$/;

/** The users with a role: `roles/editor/users`. */
const holders = /^roles\/[a-z0-9_]+\/users$/;

/** The records of `orders` as a user sees them: `users/3/view/orders`. */
const viewed = /^users\/\d+\/view\/[^/]+$/;

const entryAt = async (path: string): Promise<ModelEntry> => {
  const entry = (await loadModels()).find((each) => each.path === path);
  if (entry === undefined) throw new Error(`there is no resource ${path}`);
  return entry;
};

const routeOf = async (resource: string): Promise<ResourceRoute> => {
  const known = fixed[resource];
  if (known !== undefined) return known;
  if (holders.test(resource)) return { path: `/admin/${resource}`, singular: 'user', detail: false };
  if (viewed.test(resource)) return { path: `/admin/${resource}`, singular: 'record' };
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

/** The deleted records of `records/orders` are the resource `trash/orders`. */
export const trashPrefix = 'trash/';

/** The names of `records/orders` and of `users` are the resources `names/orders` and `names/users`. */
export const namesPrefix = 'names/';

/** Records per request: the address contains their ids. */
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

/** Reads the names of records by their ids. @param path `users`, or the path of a model: `orders` */
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

const provider = createDataProvider({ send, routeOf, strict: true });

/** One page of deleted records, in the order of the service; it takes no filter. */
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
      : provider.getList(resource, { ...params, filter: withResolvedWords(params.filter ?? {}, new Date()) }),
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

/** Every record of a list, filtered and sorted, in pages of 1,000. */
export const exportRecords = (
  resource: string,
  params: Parameters<typeof everyRecord>[2],
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> =>
  everyRecord({ send: sendUnlimited, routeOf }, resource, {
    ...params,
    filter: withResolvedWords(params.filter ?? {}, new Date()),
  });
