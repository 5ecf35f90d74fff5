import { credentials, isHeld } from './credentials.js';
import { ask } from './reach.js';
import { base } from './request.js';

/**
 * Ids of records that the reader can read. The page asks for them with the reader's own credentials, so a sample names
 * nothing that a call of the reader would not return.
 */

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./request.js').Form} Form
 * @typedef {{ lists: Operation[], resolve: (part: any) => any, ways: import('./ways.js').Ways }} Known
 */

/** The name of a model as fields have it: `OrderLine` is `order_line`. @param {string} model */
const inSnakeCase = (model) => model.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

/** The list of the users, who are no model of the application. */
const usersPath = '/api/v1/users';

/** @param {Operation} operation */
const isList = ({ method, path, access }) =>
  method === 'GET' &&
  (path === usersPath || access.model !== undefined) &&
  /^\/(?:api\/v1|admin\/records)\/[^/{]+$/.test(path);

/** The lists of a description. @param {Description} description @returns {Known} */
export const knownLists = ({ operations, resolve, ways }) => ({
  lists: operations.filter(isList),
  resolve,
  ways,
});

/** The list whose records a part of the path names. @param {Operation} operation @param {Known} known */
const listOfPath = ({ path }, { lists }) => {
  const [before] = path.split('/{');
  return before === path ? undefined : lists.find((list) => list.path === before);
};

/** The model that a reference leads to: that of the related record in a response, or the one of its name. @param {string} name @param {Operation} operation @param {Known} known */
const modelOf = (name, { replies }, { resolve }) => {
  for (const { schema } of replies) {
    const { data } = resolve(schema)?.properties ?? {};
    const part = resolve(data);
    const related = resolve(part?.items ?? part)?.properties?.[name]?.['x-gatewright']?.related;
    if (related !== undefined) return String(related);
  }
  return undefined;
};

/** The list of a reference `customer_id`. @param {string} field @param {Operation} operation @param {Known} known */
const listOfField = (field, operation, known) => {
  const name = field.replace(/_id$/, '');
  const model = modelOf(name, operation, known) ?? name;
  const area = operation.isAdministrative ? '/admin/' : '/api/';
  return known.lists.find(
    ({ path, access }) => path.startsWith(area) && inSnakeCase(access.model ?? 'User') === inSnakeCase(model),
  );
};

/** The newest records' ids of a list, by what was asked with: at most one request for each. @type {Map<string, Promise<number | undefined>>} */
const asked = new Map();

/** Has the lists asked again, after a call that may have changed them. */
export const forgetOwn = () => asked.clear();

/**
 * The id of a record that the reader can read; undefined without credentials, without a record, and without a response:
 * a sample without an id of the reader is still one.
 * @param {Operation | undefined} list @param {string | undefined} method @param {Known} known
 */
const ownId = (list, method, { ways }) => {
  const way = ways.get(method ?? '');
  if (list === undefined || way === undefined || way.form !== undefined || !isHeld(way)) return undefined;
  if (!list.access.methods.includes(way.name)) return undefined;
  const held = credentials.get(way.slot ?? '')?.value;
  const key = `${list.path} ${way.name} ${held}`;
  const before = asked.get(key);
  if (before !== undefined) return before;
  const url = `${base}${list.path}?per_page=1&page=1&sort=-id`;
  const made = { method: 'GET', url, headers: {}, body: undefined };
  const fetched = (async () => {
    await credentials.fresh(way.slot);
    const headers = await way.headers({ values: {}, filters: [], body: '', asked: {}, method }, made);
    const response = await ask(url, {
      headers,
      credentials: way.credentials ?? 'omit',
      cache: 'no-store',
    });
    const { data } = await response.json();
    return response.ok && Number.isInteger(data?.[0]?.id) ? Number(data[0].id) : undefined;
  })().catch(() => {
    asked.delete(key);
    return undefined;
  });
  asked.set(key, fetched);
  return fetched;
};

/** Puts ids of the reader in the place of those of a body. @param {unknown} value @param {(field: string) => Promise<number | undefined> | undefined} idOf @returns {Promise<unknown>} */
const withOwnIds = async (value, idOf) => {
  if (Array.isArray(value)) return Promise.all(value.map((each) => withOwnIds(each, idOf)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = await Promise.all(
    Object.entries(value).map(async ([name, inner]) => {
      const isReference = name.endsWith('_id') && typeof inner === 'number';
      return [name, isReference ? ((await idOf(name)) ?? inner) : await withOwnIds(inner, idOf)];
    }),
  );
  return Object.fromEntries(entries);
};

/** A body as the form writes it. @param {unknown} value @param {string} before */
const written = (value, before) => JSON.stringify(value, null, before.includes('\n') ? 2 : 0);

/**
 * Fills what the reader has not touched with ids of their own records: the record in the path, except where the call
 * deletes it, and the references of the body.
 * @param {Operation} operation @param {Form} form @param {string} sample the body as the form begins with it
 * @param {Known} known
 * @returns {Promise<boolean>} whether anything changed
 */
export const fillOwn = async (operation, form, sample, known) => {
  const { method } = form;
  const [, param = ''] = /\{(\w+)\}/.exec(operation.path) ?? [];
  const list = operation.method === 'DELETE' ? undefined : listOfPath(operation, known);
  const id = String((await ownId(list, method, known)) ?? '');
  const isJson = operation.bodyType === 'application/json' && sample !== '';
  const body = isJson ? JSON.parse(sample) : undefined;
  const own =
    body === undefined
      ? sample
      : written(
          await withOwnIds(body, (field) => ownId(listOfField(field, operation, known), method, known)),
          sample,
        );
  // Another method may have been chosen meanwhile; its own call fills the form.
  if (form.method !== method) return false;
  const taken = form.own ?? { id: '', body: sample };
  const isNewId = list !== undefined && (form.values[param] ?? '') === taken.id && id !== taken.id;
  const isNewBody = form.body === taken.body && own !== taken.body;
  if (isNewId) form.values[param] = id;
  if (isNewBody) form.body = own;
  form.own = { id: isNewId ? id : taken.id, body: isNewBody ? own : taken.body };
  return isNewId || isNewBody;
};
