import { choicesOf, typesOf } from './description.js';
import { h, inline, prose } from './dom.js';
import { filtersOf, plainParameters } from './request.js';

/**
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./description.js').Schema} Schema
 * @typedef {import('./texts.js').Texts} Texts
 */

/** A scrolling table. @param {string[]} head @param {import('./dom.js').Child[][]} rows */
const table = (head, rows) =>
  h(
    'div',
    { class: 'scroll', tabindex: '0' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((cell) => h('th', { scope: 'col' }, cell)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  );

/** What the policy asks, a sentence each. @param {Operation} operation @param {Texts} t */
const rules = ({ access }, t) => {
  const {
    model,
    permission,
    isolation,
    ownership,
    restricted = [],
    published,
    roles = [],
    own,
    also = [],
  } = access;
  const who = /** @type {Record<string, string>} */ (t.access)[access.access] ?? access.access;
  return [
    roles.length > 0 ? `${who}${roles.join(', ')}` : who,
    own && t.ownOnly,
    published &&
      `${t.published}${Object.entries(published)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', ')}`,
    model !== undefined &&
      (permission ? `${t.permission} (${model}, ${permission})${t.permissionAdmin}` : t.noPermission),
    isolation === true && (model === undefined ? t.isolationOfUsers : t.isolation),
    typeof isolation === 'object' && t.isolationByRule,
    ownership && t.ownership,
    restricted.length > 0 && `${t.restricted}${restricted.join(', ')}`,
    also.length > 0 && `${t.also} ${also.join(', ')}.`,
  ].filter((line) => typeof line === 'string');
};

/** @param {Operation} operation @param {import('./ways.js').Ways} ways @param {Texts} t */
const whoMayCall = (operation, ways, t) => {
  const { methods } = operation.access;
  const chips = methods.length === 0 ? [t.open] : methods.map((name) => ways.get(name)?.label ?? name);
  return h(
    'section',
    { class: 'who' },
    h('h2', {}, t.who),
    h(
      'p',
      { class: 'chips' },
      chips.map((chip) => h('span', { class: methods.length === 0 ? 'chip open' : 'chip' }, chip)),
    ),
    h(
      'ul',
      {},
      rules(operation, t).map((line) => h('li', {}, line)),
    ),
  );
};

/** Type and bounds in few words. @param {Schema} schema @param {(part: any) => any} resolve @returns {string} */
const typeWords = (schema, resolve) => {
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
  if (schema['default'] !== undefined) words.push(`= ${JSON.stringify(schema['default'])}`);
  return words.join(', ');
};

/**
 * Related records in few words; undefined where a schema is none of them. What they hold is told by the operations of
 * their model: records lead to each other in circles.
 * @param {Schema} schema
 */
const relatedWords = ({ items, anyOf }) => {
  const [, model] = /\/(\w+)_Related$/.exec(items?.$ref ?? anyOf?.[0]?.$ref ?? '') ?? [];
  if (model === undefined) return undefined;
  return items === undefined ? `${model} | null` : `${model}[]`;
};

/**
 * Rows of a schema's properties; those of inner objects follow with a longer name.
 * @param {Schema} part @param {(part: any) => any} resolve @param {Texts} t @param {string} prefix
 * @returns {import('./dom.js').Child[][]}
 */
const propertyRows = (part, resolve, t, prefix = '') => {
  const schema = resolve(part);
  if (typesOf(schema).includes('array')) return propertyRows(schema['items'], resolve, t, `${prefix}[]`);
  return Object.entries(schema['properties'] ?? {}).flatMap(([name, value]) => {
    const inner = resolve(value);
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const related = relatedWords(inner);
    const required = schema['required']?.includes(name);
    const words = [inner['description'] ?? inner['title'], bounds(inner)].filter((word) => word);
    const row = [
      [h('code', {}, path), required ? h('span', { class: 'required', title: t.required }, '*') : null],
      related ?? typeWords(inner, resolve),
      inline(words.join(' · ')),
    ];
    const deeper =
      related === undefined && path.split('.').length < 6 ? propertyRows(inner, resolve, t, path) : [];
    return [row, ...deeper];
  });
};

/** @param {Schema} schema @param {(part: any) => any} resolve @param {Texts} t */
const schemaTable = (schema, resolve, t) => {
  const rows = propertyRows(schema, resolve, t);
  return rows.length === 0
    ? h('p', {}, typeWords(resolve(schema), resolve))
    : table([t.name, t.type, t.meaning], rows);
};

/** What stands behind `data`; the rest of the envelope is the same everywhere. @param {Schema} schema @param {(part: any) => any} resolve @param {Texts} t */
const payload = (schema, resolve, t) => {
  const { code, data } = resolve(schema)['properties'] ?? {};
  if (code === undefined) return schemaTable(schema, resolve, t);
  return data === undefined ? null : schemaTable({ type: 'object', properties: { data } }, resolve, t);
};

/** Fields that a list can be filtered by. @param {Operation} operation @param {Texts} t */
const filterTable = (operation, t) => {
  const names = /** @type {Record<string, string>} */ (t.operators);
  const rows = [...filtersOf(operation)].map(([field, { operators }]) => [
    h('code', {}, `filter[${field}]`),
    operators.flatMap((operator, index) => [
      index > 0 && ' ',
      h('code', { title: names[operator] }, operator === 'eq' ? '=' : operator),
    ]),
  ]);
  return rows.length === 0 ? null : [h('h2', {}, t.filters), table([t.name, t.operator], rows)];
};

/** @param {Operation} operation @param {Texts} t */
const parameterTable = (operation, t) => {
  const rows = plainParameters(operation).map((parameter) => [
    [
      h('code', {}, parameter.name),
      parameter.required ? h('span', { class: 'required', title: t.required }, '*') : null,
    ],
    parameter.in,
    inline(
      [typeWords(parameter.schema, (part) => part), parameter.description].filter((word) => word).join(' · '),
    ),
  ]);
  return rows.length === 0 ? null : [h('h2', {}, t.parameters), table([t.name, t.place, t.meaning], rows)];
};

/** @param {Operation} operation @param {(part: any) => any} resolve @param {Texts} t */
const answers = (operation, resolve, t) => {
  const isForeign = document.documentElement.lang !== document.documentElement.dataset['serviceLocale'];
  const good = operation.replies.filter(({ status }) => status < 400);
  const bad = operation.replies.flatMap(({ status, refusals }) =>
    refusals.map((refusal) => ({ status, ...refusal })),
  );
  return [
    h('h2', {}, t.answers),
    good.map((reply) => [
      h(
        'p',
        { class: 'status' },
        h('strong', {}, reply.status),
        ` ${reply.description}`,
        reply.media !== undefined &&
          reply.media !== 'application/json' && [' · ', h('code', {}, reply.media)],
        reply.headers.length > 0 &&
          h('span', { class: 'dim' }, ` · ${t.headers}: ${reply.headers.join(', ')}`),
      ),
      reply.schema && payload(reply.schema, resolve, t),
    ]),
    h(
      'details',
      { open: matchMedia('(min-width: 900px)').matches },
      h('summary', {}, h('h2', {}, `${t.errors} (${bad.length})`)),
      isForeign && h('p', { class: 'hint' }, t.errorsAsAnswered),
      table(
        ['HTTP', t.code, t.message, t.name],
        bad.map(({ status, code, message, name }) => [
          status,
          code,
          message,
          h('code', { class: 'dim' }, name),
        ]),
      ),
    ),
  ];
};

/** What a body of parts may bring beside its fields. @param {Operation} operation @param {(part: any) => any} resolve */
const files = ({ body }, resolve) => {
  const text = resolve(body)['additionalProperties']?.description;
  return text === undefined ? null : h('p', {}, text);
};

/** What the description says of an operation. @param {Operation} operation @param {import('./description.js').Description} description @param {Texts} t */
export const operationView = (operation, { resolve, ways }, t) =>
  h(
    'div',
    { class: 'about' },
    h('h1', { tabindex: '-1' }, operation.summary),
    h(
      'p',
      { class: 'route' },
      h('span', { class: `verb ${operation.method.toLowerCase()}` }, operation.method),
      ' ',
      h('code', {}, operation.path),
    ),
    operation.description !== undefined && prose(operation.description),
    whoMayCall(operation, ways, t),
    parameterTable(operation, t),
    filterTable(operation, t),
    operation.body && [
      h('h2', {}, t.body),
      operation.bodyType !== 'application/json' && h('p', {}, h('code', {}, operation.bodyType)),
      schemaTable(operation.body, resolve, t),
      files(operation, resolve),
    ],
    answers(operation, resolve, t),
  );
