import { choicesOf, typesOf } from './description.js';
import { plainPath } from './places.js';

/** The fields of an operation, a row each: what the tables show, the search finds and addresses name. */

/**
 * @typedef {import('./description.js').Schema} Schema
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {{ path: string, part: string, type: string, words: string, required: boolean }} Field
 */

/** Type and bounds in few words. @param {Schema} schema @param {(part: any) => any} resolve @returns {string} */
export const typeWords = (schema, resolve) => {
  const choices = choicesOf(schema);
  if (choices !== undefined)
    return choices.map((choice) => (choice === null ? 'null' : String(choice))).join(' | ');
  if ('const' in schema) return JSON.stringify(schema['const']);
  const types = typesOf(schema);
  const items = types.includes('array') ? resolve(schema['items']) : undefined;
  const text =
    types.length > 4
      ? 'JSON'
      : types.map((type) => (type === 'array' ? `${typeWords(items, resolve)}[]` : type)).join(' | ');
  return [text === '' ? 'JSON' : text, schema['format']].filter((part) => part !== undefined).join(' · ');
};

const safe = Number.MAX_SAFE_INTEGER;

/** @param {Schema} schema */
const bounds = (schema) => {
  const words = [];
  if (schema['minimum'] !== undefined && schema['minimum'] !== -safe) words.push(`≥ ${schema['minimum']}`);
  if (schema['maximum'] !== undefined && schema['maximum'] !== safe) words.push(`≤ ${schema['maximum']}`);
  if (schema['minLength'] > 1) words.push(`${schema['minLength']}…`);
  if (schema['maxLength'] !== undefined) words.push(`≤ ${schema['maxLength'].toLocaleString('en')}`);
  const preset = schema['default'] ?? schema['x-default'];
  if (preset !== undefined) words.push(`= ${JSON.stringify(preset)}`);
  return words.join(', ');
};

/**
 * Related records in few words; undefined where a schema is none of them. Their content is described by the operations of
 * their model: records lead to each other in circles.
 * @param {Schema} schema
 */
export const relatedWords = ({ items, 'x-gatewright': { related: model } = {} }) => {
  if (model === undefined) return undefined;
  return items === undefined ? `${model} | null` : `${model}[]`;
};

/**
 * The fields of a schema; those of inner objects follow with a longer name.
 * @param {Schema} part @param {(part: any) => any} resolve @param {string} prefix @param {string} section
 * @returns {Field[]}
 */
export const fieldsOf = (part, resolve, section, prefix = '') => {
  const schema = resolve(part);
  if (typesOf(schema).includes('array')) return fieldsOf(schema['items'], resolve, section, `${prefix}[]`);
  return Object.entries(schema['properties'] ?? {}).flatMap(([name, value]) => {
    const inner = resolve(value);
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const related = relatedWords(inner);
    const words = [inner['description'] ?? inner['title'], bounds(inner)].filter((word) => word);
    /** @type {Field} */
    const row = {
      path,
      part: `${section}.${plainPath(path)}`,
      type: related ?? typeWords(inner, resolve),
      words: words.join(' · '),
      required: schema['required']?.includes(name) === true,
    };
    const deeper =
      related === undefined && path.split('.').length < 6 ? fieldsOf(inner, resolve, section, path) : [];
    return [row, ...deeper];
  });
};

/** The schema of `data` in a response; the rest of the envelope is the same everywhere. @param {Schema} schema @param {(part: any) => any} resolve */
export const payloadOf = (schema, resolve) => {
  const { code, data } = resolve(schema)['properties'] ?? {};
  if (code === undefined) return schema;
  return data === undefined ? undefined : { type: 'object', properties: { data } };
};

/** @param {Operation} operation @param {(part: any) => any} resolve @returns {Field[]} */
export const bodyFields = ({ body }, resolve) => (body === undefined ? [] : fieldsOf(body, resolve, 'body'));

/** @param {Operation} operation @param {(part: any) => any} resolve @returns {Field[]} */
export const answerFields = ({ replies }, resolve) =>
  replies
    .filter(({ status, schema }) => status < 300 && schema !== undefined)
    .flatMap(({ schema }) => {
      const payload = payloadOf(schema ?? {}, resolve);
      return payload === undefined ? [] : fieldsOf(payload, resolve, 'answer');
    });

/** Every part of an operation that has an address. @param {Operation} operation @param {(part: any) => any} resolve */
export const partsOf = (operation, resolve) => [
  ...operation.parameters.map(({ name }) => partOfParameter(name)),
  ...[...bodyFields(operation, resolve), ...answerFields(operation, resolve)].map(({ part }) => part),
  ...operation.replies.flatMap(({ refusals }) => refusals.map(({ code }) => `error.${code}`)),
  ...operation.replies.map(({ status }) => `example.${status}`),
  ...['call', 'try', 'answers', 'errors'],
];

/** `filter[status]` is the part `filter.status`. @param {string} name */
export const partOfParameter = (name) => {
  const [, field] = /^filter\[([^\]]+)\]/.exec(name) ?? [];
  return field === undefined ? `parameter.${name}` : `filter.${field}`;
};
