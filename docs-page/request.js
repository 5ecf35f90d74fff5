import { sampleOf } from './description.js';

/** What the form of an operation holds, and the request that it comes to. */

/**
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {{ field: string, operator: string, value: string }} Filter
 * @typedef {{
 *   values: Record<string, string>, filters: Filter[], body: string, method: string | undefined,
 *   asked: Record<string, string>
 * }} Form
 * @typedef {{ method: string, url: string, headers: Record<string, string>, body: string | undefined }} Request
 */

/** Where the service answers: the page's own address up to `/api-docs`. */
export const base = location.origin + location.pathname.replace(/\/api-docs\/?$/, '');

const isFilter = (/** @type {string} */ name) => name.startsWith('filter[');

/** Operators by field, as the filters of a list are named. @param {Operation} operation */
export const filtersOf = (operation) => {
  /** @type {Map<string, { operators: string[], schema: import('./description.js').Schema }>} */
  const fields = new Map();
  for (const { name, schema } of operation.parameters) {
    const match = /^filter\[([^\]]+)\](?:\[([^\]]+)\])?$/.exec(name);
    if (match === null) continue;
    const [, field = '', operator = 'eq'] = match;
    const known = fields.get(field) ?? { operators: [], schema };
    known.operators.push(operator);
    fields.set(field, known);
  }
  return fields;
};

/** Parameters that have a field of their own in the form. @param {Operation} operation */
export const plainParameters = (operation) => operation.parameters.filter(({ name }) => !isFilter(name));

export const now = () => String(Math.floor(Date.now() / 1000));

/** @param {Operation} operation @param {(part: any) => any} resolve @param {import('./ways.js').Ways} ways @returns {Form} */
export const newForm = (operation, resolve, ways) => {
  const sample = operation.body === undefined ? undefined : sampleOf(operation.body, resolve);
  const { methods } = operation.access;
  const oneLine = methods.map((name) => ways.get(name)?.oneLineBody).find((each) => each !== undefined);
  const example = oneLine !== undefined && JSON.stringify(sample) === '{}' ? oneLine.example : sample;
  return {
    values: {},
    filters: [],
    body: example === undefined ? '' : JSON.stringify(example, null, oneLine === undefined ? 2 : 0),
    method: methods[0],
    asked: {},
  };
};

/** @param {Operation} operation @param {Form} form */
const queryOf = (operation, form) => {
  const pairs = plainParameters(operation)
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => [name, form.values[name] ?? '']);
  for (const { field, operator, value } of form.filters)
    pairs.push([operator === 'eq' ? `filter[${field}]` : `filter[${field}][${operator}]`, value]);
  const set = pairs.filter(([, value]) => value !== '');
  return set.map((pair) => pair.map((text) => encodeURIComponent(text ?? '')).join('=')).join('&');
};

/** The request without what authenticates it. @param {Operation} operation @param {Form} form @returns {Request} */
export const requestOf = (operation, form) => {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name) =>
    form.values[name] ? encodeURIComponent(form.values[name]) : `{${name}}`,
  );
  const query = queryOf(operation, form);
  /** @type {Record<string, string>} */
  const headers = {};
  for (const parameter of operation.parameters)
    if (parameter.in === 'header' && form.values[parameter.name])
      headers[parameter.name] = form.values[parameter.name] ?? '';
  if (operation.body !== undefined) headers['Content-Type'] = 'application/json';
  return {
    method: operation.method,
    url: base + path + (query === '' ? '' : `?${query}`),
    headers,
    body: operation.body === undefined ? undefined : form.body,
  };
};

/** Names of path parameters that have no value yet. @param {Operation} operation @param {Form} form */
export const missing = (operation, form) =>
  operation.parameters
    .filter((each) => each.in === 'path' && !form.values[each.name])
    .map(({ name }) => name);
