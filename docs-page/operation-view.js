import { breakable, h, inline, prose } from './dom.js';
import { answerFields, bodyFields, partOfParameter, payloadOf, typeWords } from './fields.js';
import { icon } from './icons.js';
import { linkTo } from './places.js';
import { filtersOf, plainParameters } from './request.js';
import { fieldTable, table, typeCell } from './tables.js';

/**
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./description.js').Schema} Schema
 * @typedef {import('./texts.js').Texts} Texts
 */

/**
 * The demands of the policy, a sentence each. A rule narrows where a permitted caller reaches only some records or fields.
 * @param {Operation} operation @param {Texts} t @returns {{ text: string, narrows: boolean }[]}
 */
const rules = ({ access }, t) => {
  const {
    model,
    permission,
    isolation,
    manage,
    ownership,
    restricted = [],
    restricted_unless: restrictedUnless = [],
    viewed_when: viewedWhen = [],
    shows = {},
    published,
    or_own: orOwn,
    roles = [],
    own,
    also = [],
  } = access;
  /** @param {string} text @param {string[]} fields @param {string} where */
  const about = (text, fields, where) =>
    text
      .replace('{fields}', fields.map((name) => `\`${name}\``).join(t.comma))
      .replace('{where}', () => where);
  /** @param {unknown} text a sentence, or nothing that is shown */
  const passed = (text) => ({ text, narrows: false });
  /** @param {unknown} text */
  const narrowed = (text) => ({ text, narrows: true });
  const who = /** @type {Record<string, string>} */ (t.access)[access.access] ?? access.access;
  return [
    { text: roles.length > 0 ? who + roles.join(t.comma) : who, narrows: access.access === 'own' },
    narrowed(own && t.ownOnly),
    narrowed(
      published &&
        `${orOwn ? t.publishedToAll : t.published}${Object.entries(published)
          .map(([name, value]) => `${name} = ${value}`)
          .join(t.comma)}`,
    ),
    passed(
      model !== undefined &&
        (permission
          ? t.permission.replace('{model}', model).replace('{permission}', permission)
          : t.noPermission),
    ),
    narrowed(isolation === true && (model === undefined ? t.isolationOfUsers : t.isolation)),
    narrowed(typeof isolation === 'object' && t.isolationByRule),
    narrowed(manage && t.manage + manage + t.stop),
    passed(ownership && t.ownership),
    narrowed(restricted.length > 0 && t.restricted + restricted.join(t.comma)),
    ...restrictedUnless.map(({ fields, unless }) => narrowed(about(t.restrictedUnless, fields, unless))),
    ...viewedWhen.map(({ fields, when }) => narrowed(about(t.viewedWhen, fields, when))),
    ...Object.entries(shows).map(([relation, fields]) => passed(about(t.shows, fields, `\`${relation}\``))),
    passed(also.length > 0 && `${t.also} ${also.join(t.comma)}${t.stop}`),
  ].flatMap(({ text, narrows }) => (typeof text === 'string' ? [{ text, narrows }] : []));
};

/**
 * A gate that a call passes, or one at which it reaches less: amber, with a narrower one within it. Where nothing is
 * decided there is a sentence and no gate.
 * @param {'passed' | 'narrows' | 'free'} kind @param {import('./dom.js').Child} content
 */
const gate = (kind, content) =>
  h(
    'li',
    { class: kind },
    kind !== 'free' && icon(kind === 'narrows' ? 'narrowed' : 'gate', 24),
    h('div', {}, content),
  );

/** @param {Operation} operation @param {import('./ways.js').Ways} ways @param {Texts} t */
const whoMayCall = (operation, ways, t) => {
  const { methods } = operation.access;
  const isOpen = methods.length === 0;
  const chips = isOpen ? [t.open] : methods.map((name) => ways.get(name)?.label ?? name);
  const passed = isOpen ? 'free' : 'passed';
  return h(
    'section',
    { class: 'who' },
    h('h2', {}, t.who),
    h(
      'ol',
      { class: 'trace' },
      gate(
        passed,
        h(
          'p',
          { class: 'chips' },
          chips.map((text) => h('span', { class: isOpen ? 'chip open' : 'chip' }, text)),
        ),
      ),
      rules(operation, t).map(({ text, narrows }) => gate(narrows ? 'narrows' : passed, inline(text))),
    ),
  );
};

/** A heading with its address. @param {Operation} operation @param {string} part @param {string} text @param {Texts} t */
const heading = ({ id }, part, text, t) =>
  h(
    'div',
    { class: 'heading', 'data-part': part },
    h('h2', { tabindex: '-1' }, text),
    linkTo({ operation: id, part }, text, t),
  );

/** Fields that a list can be filtered by. @param {Operation} operation @param {(part: any) => any} resolve @param {Texts} t */
const filterTable = (operation, resolve, t) => {
  const names = /** @type {Record<string, string>} */ (t.operators);
  const rows = [...filtersOf(operation, resolve)].map(([field, { operators, type }]) => ({
    part: `filter.${field}`,
    label: `filter[${field}]`,
    cells: [
      h('code', {}, breakable(`filter[${field}]`)),
      typeCell(typeWords(type, resolve), t),
      operators.flatMap((operator, index) => [
        index > 0 && ' ',
        h('code', { title: names[operator] }, operator === 'eq' ? '=' : operator),
      ]),
    ],
  }));
  if (rows.length === 0) return null;
  return [
    heading(operation, 'filters', t.filters, t),
    table(operation.id, [t.name, t.type, t.operator], rows, t),
  ];
};

/** The places of parameters, in the order in which a request has them. */
const places = /** @type {const} */ (['path', 'query', 'header', 'cookie']);

/** Options that every list has: they are folded, as they are the same everywhere. */
const listOptions = new Set([
  'page',
  'per_page',
  'sort',
  'fields',
  'include',
  'q',
  'cursor',
  'after',
  'before',
  'total',
  'aggregate',
]);

/** A table under a summary, which opens where an address leads into it. @param {string} summary @param {number} count @param {import('./dom.js').Child} content */
const folded = (summary, count, content) =>
  h('details', { class: 'fold' }, h('summary', {}, summary, h('span', { class: 'count' }, count)), content);

/** @param {Operation} operation @param {(part: any) => any} resolve @param {Texts} t */
const parameterTable = (operation, resolve, t) => {
  const all = plainParameters(operation);
  const isShared = (/** @type {{ name: string, in: string }} */ each) =>
    each.in === 'query' && listOptions.has(each.name);
  const shared = all.filter(isShared);
  const own = all.filter((each) => !isShared(each));
  if (all.length === 0) return null;
  return [
    heading(operation, 'parameters', t.parameters, t),
    places.map((place) => {
      const here = own.filter((parameter) => parameter.in === place);
      return (
        here.length > 0 && [h('h3', { class: 'place' }, t.places[place]), rowsOf(operation, here, resolve, t)]
      );
    }),
    shared.length > 0 && folded(t.listOptions, shared.length, rowsOf(operation, shared, resolve, t)),
  ];
};

/** @param {Operation} operation @param {readonly any[]} parameters @param {(part: any) => any} resolve @param {Texts} t */
const rowsOf = (operation, parameters, resolve, t) =>
  table(
    operation.id,
    [t.name, t.type, t.meaning],
    parameters.map((parameter) => ({
      part: partOfParameter(parameter.name),
      label: parameter.name,
      cells: [
        [
          h('code', {}, breakable(parameter.name)),
          parameter.required && h('span', { class: 'required', title: t.required }, '*'),
        ],
        typeCell(typeWords(parameter.schema, resolve), t),
        inline(parameter.description ?? ''),
      ],
    })),
    t,
  );

/** The parts of a body beside its fields. @param {Operation} operation @param {(part: any) => any} resolve */
const files = ({ body }, resolve) => {
  const text = resolve(body)['additionalProperties']?.description;
  return text === undefined ? null : h('p', {}, text);
};

/** @param {Operation} operation @param {(part: any) => any} resolve @param {Texts} t */
const bodyPart = (operation, resolve, t) => {
  if (operation.body === undefined) return null;
  const fields = bodyFields(operation, resolve);
  return [
    heading(operation, 'body', t.body, t),
    operation.bodyType !== 'application/json' && h('p', {}, h('code', {}, operation.bodyType)),
    fields.length === 0
      ? h('p', {}, typeWords(resolve(operation.body), resolve))
      : fieldTable(operation.id, fields, t),
    files(operation, resolve),
  ];
};

/** The description of an operation, before it is called. @param {Operation} operation @param {import('./description.js').Description} description @param {Texts} t */
export const operationView = (operation, { resolve, ways, groups }, t) =>
  h(
    'div',
    { class: 'about' },
    h(
      'p',
      { class: 'eyebrow' },
      groups.find(({ name }) => name === operation.tag)?.title,
      operation.isAdministrative && h('span', { class: 'chip warn' }, t.administrative),
    ),
    h(
      'div',
      { class: 'heading' },
      h('h1', { tabindex: '-1' }, operation.summary),
      linkTo({ operation: operation.id, part: '' }, operation.summary, t),
    ),
    h(
      'p',
      { class: 'route' },
      h('span', { class: `verb ${operation.method.toLowerCase()}` }, operation.method),
      ' ',
      h('code', {}, breakable(operation.path)),
    ),
    operation.description !== undefined && h('div', { class: 'lead' }, prose(operation.description)),
    whoMayCall(operation, ways, t),
    bodyPart(operation, resolve, t),
    parameterTable(operation, resolve, t),
    filterTable(operation, resolve, t),
  );

/** @param {import('./description.js').Reply} reply @param {Texts} t */
const replyLine = ({ status, description, media, headers }, t) =>
  h(
    'p',
    { class: 'status' },
    h('span', { class: 'badge good' }, status),
    ` ${description}`,
    media !== undefined && media !== 'application/json' && [' · ', h('code', {}, media)],
    headers.length > 0 && h('span', { class: 'dim' }, ` · ${t.headers}${t.colon}${headers.join(t.comma)}`),
  );

/** @param {Operation} operation @param {Texts} t @param {(part: string) => void} showExample */
const errors = (operation, t, showExample) => {
  const isForeign = document.documentElement.lang !== document.documentElement.dataset['serviceLocale'];
  const bad = operation.replies.flatMap(({ status, refusals }) =>
    refusals.map((refusal) => ({ status, ...refusal })),
  );
  if (bad.length === 0) return null;
  return [
    heading(operation, 'errors', t.errors.replace('{count}', String(bad.length)), t),
    isForeign && h('p', { class: 'hint' }, t.errorsAsAnswered),
    folded(
      t.everyError,
      bad.length,
      table(
        operation.id,
        ['HTTP', t.code, t.message],
        bad.map(({ status, code, message, name }) => ({
          part: `error.${code}`,
          label: String(code),
          cells: [
            status,
            [
              h(
                'button',
                {
                  type: 'button',
                  class: 'link',
                  title: t.showExample,
                  onclick: () => showExample(`example.${code}`),
                },
                code,
              ),
              h('code', { class: 'under dim' }, breakable(name)),
            ],
            breakable(message),
          ],
        })),
        t,
      ),
    ),
  ];
};

/**
 * The responses of an operation.
 * @param {Operation} operation @param {(part: any) => any} resolve @param {Texts} t @param {(part: string) => void} showExample
 */
export const answersView = (operation, resolve, t, showExample) => {
  const fields = answerFields(operation, resolve);
  return h(
    'div',
    { class: 'answers' },
    heading(operation, 'answers', t.answers, t),
    operation.replies
      .filter(({ status }) => status < 400)
      .map((reply) => {
        const payload = reply.schema === undefined ? undefined : payloadOf(reply.schema, resolve);
        const own = reply.status < 300 && payload !== undefined;
        return [
          replyLine(reply, t),
          own &&
            (fields.length === 0
              ? h('p', {}, typeWords(resolve(payload), resolve))
              : fieldTable(operation.id, fields, t)),
        ];
      }),
    errors(operation, t, showExample),
  );
};
