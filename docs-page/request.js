import { sampleOf } from './description.js';

/** The content of an operation's form, and the request made from it. */

/**
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {{ field: string, operator: string, value: string }} Filter
 * @typedef {{
 *   values: Record<string, string>, filters: Filter[], body: string, method: string | undefined,
 *   asked: Record<string, string>, own?: { id: string, body: string }
 * }} Form `own` is what the page has filled in with ids of the reader's records
 * @typedef {{ method: string, url: string, headers: Record<string, string>, body: string | undefined }} Request
 */

/** The base address of the service: the page's own address up to `/api-docs`. */
export const base = location.origin + location.pathname.replace(/\/api-docs\/?$/, '');

/** The address of the handbook in a language. @param {string} language */
export const handbook = (language) => `${base}/api-docs/handbook?lang=${encodeURIComponent(language)}`;

const isFilter = (/** @type {string} */ name) => name.startsWith('filter[');

/** Operators by field, as the filters of a list are named. @param {Operation} operation @param {(part: any) => any} resolve */
export const filtersOf = (operation, resolve) => {
  /** @type {Map<string, { operators: string[], type: any }>} */
  const fields = new Map();
  for (const { name, schema } of operation.parameters) {
    const [, field] = /^filter\[([^\]]+)\]$/.exec(name) ?? [];
    if (field === undefined) continue;
    const [value = {}, conditions] = resolve(schema).anyOf ?? [];
    const operators = Object.keys(conditions?.properties ?? { eq: {} });
    fields.set(field, { operators, type: resolve(value) });
  }
  return fields;
};

/** Parameters that have a field of their own in the form. @param {Operation} operation */
export const plainParameters = (operation) => operation.parameters.filter(({ name }) => !isFilter(name));

export const now = () => String(Math.floor(Date.now() / 1000));

const formType = 'application/x-www-form-urlencoded';
const multipartType = 'multipart/form-data';

/** The boundary between the parts of a body that the page writes. */
const boundary = 'gatewright-part';

/** A value as a form has it. @param {unknown} value */
const formText = (value) => (value === null || value === undefined ? '' : String(value));

/** A body of parts to begin with: the fields, and a short file. @param {Record<string, unknown>} fields */
const partsOf = (fields) => {
  const texts = Object.entries(fields).map(([name, value]) => `; name="${name}"\n\n${formText(value)}`);
  const file = '; name="file"; filename="file.txt"\nContent-Type: text/plain\n\n…';
  const parts = [...texts, file].map((part) => `--${boundary}\nContent-Disposition: form-data${part}\n`);
  return `${parts.join('')}--${boundary}--\n`;
};

/** Bodies to begin with that are no JSON, by their media type. @type {Record<string, (fields: any) => string>} */
const otherBodies = {
  [formType]: (fields) =>
    String(new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, formText(value)]))),
  [multipartType]: partsOf,
  'application/jsonl': (fields) => `${JSON.stringify(fields)}\n`,
  '*/*': () => '',
};

/** The `Content-Type` of a body that the page sends. @param {Operation} operation */
const sentType = ({ bodyType }) => {
  if (bodyType === '*/*') return 'application/octet-stream';
  return bodyType === multipartType ? `${multipartType}; boundary=${boundary}` : bodyType;
};

/** A body as it is sent: its parts stand in lines that end as the form has it. @param {Operation} operation @param {Form} form */
export const sentBody = ({ bodyType }, { body }) =>
  bodyType === multipartType ? body.replaceAll(/\r?\n/g, '\r\n') : body;

/** The placeholder of a body that the form cannot hold, a file for instance, for curl. @param {Operation} operation */
export const fileOption = ({ bodyType }) => {
  if (bodyType === multipartType) return "--form 'file=@photo.png'";
  return bodyType === '*/*' ? '--data-binary @photo.png' : undefined;
};

/**
 * The value that a parameter begins with: its example, or a sample where the service demands one. Parts of a path name
 * something that only the reader knows.
 * @param {import('./description.js').Parameter} parameter @param {(part: any) => any} resolve @returns {unknown}
 */
const parameterSample = ({ name, in: place, required, example, schema }, resolve) =>
  example === undefined && place === 'query' && required === true ? sampleOf(schema, resolve, name) : example;

/** @param {Operation} operation @param {(part: any) => any} resolve @param {import('./ways.js').Ways} ways @returns {Form} */
export const newForm = (operation, resolve, ways) => {
  const other = otherBodies[operation.bodyType];
  if (other !== undefined) {
    const fields = sampleOf(operation.body ?? {}, resolve) ?? {};
    return { values: {}, filters: [], body: other(fields), method: operation.access.methods[0], asked: {} };
  }
  const sample = operation.body === undefined ? undefined : sampleOf(operation.body, resolve);
  const { methods } = operation.access;
  const given = plainParameters(operation).flatMap((parameter) => {
    const value = parameterSample(parameter, resolve);
    return value === undefined ? [] : [[parameter.name, String(value)]];
  });
  const oneLine = methods.map((name) => ways.get(name)?.oneLineBody).find((each) => each !== undefined);
  const example = oneLine !== undefined && JSON.stringify(sample) === '{}' ? oneLine.example : sample;
  return {
    values: Object.fromEntries(given),
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
  if (operation.body !== undefined) headers['Content-Type'] = sentType(operation);
  return {
    method: operation.method,
    url: base + path + (query === '' ? '' : `?${query}`),
    headers,
    body: operation.body === undefined ? undefined : sentBody(operation, form),
  };
};

/** Names of path parameters that have no value yet. @param {Operation} operation @param {Form} form */
export const missing = (operation, form) =>
  operation.parameters
    .filter((each) => each.in === 'path' && !form.values[each.name])
    .map(({ name }) => name);
