import { breakable, h, prose } from './dom.js';
import { addressOf } from './places.js';
import { base, handbook } from './request.js';

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {import('./description.js').Group} Group
 * @typedef {import('./texts.js').Texts} Texts
 */

/** @param {Group} group */
const operations = ({ operations: own }) =>
  h(
    'ul',
    { class: 'operations' },
    own.map(({ id, method, path, summary }) =>
      h(
        'li',
        {},
        h(
          'a',
          { href: addressOf(id) },
          h('span', { class: `verb ${method.toLowerCase()}` }, method),
          h('code', {}, breakable(path)),
          h('span', { class: 'dim' }, summary),
        ),
      ),
    ),
  );

/** The administrators' are drawn when they are unfolded. @param {Group} group @param {Texts} t */
const folded = (group, t) => {
  const element = h(
    'details',
    { class: 'card folded' },
    h(
      'summary',
      {},
      h('h2', {}, group.title),
      h('span', { class: 'chip warn' }, t.administrative),
      h('span', { class: 'count' }, group.operations.length),
    ),
    group.description !== '' && h('p', { class: 'dim' }, group.description),
  );
  element.addEventListener('toggle', () => {
    if (element.open && element.querySelector('ul') === null) element.append(operations(group));
  });
  return element;
};

/** A link to the description of an area. @param {string} area @param {string} text @param {string} language */
const file = (area, text, language) =>
  h('a', { href: `${base}/api-docs/openapi.json?area=${area}&lang=${encodeURIComponent(language)}` }, text);

/** The first page: what the service is, and all that can be called. @param {Description} description @param {string} language @param {Texts} t */
export const overview = (description, language, t) =>
  h(
    'div',
    { class: 'overview' },
    h('h1', { tabindex: '-1' }, description.title),
    h(
      'p',
      { class: 'dim' },
      `${description.version} · `,
      h('code', {}, base),
      ' · ',
      `OpenAPI 3.1 ${t.description} `,
      file('api', 'API', language),
      ' · ',
      file('admin', t.administrationArea, language),
      ' · ',
      h('a', { href: handbook(language) }, t.handbook),
    ),
    h('div', { class: 'lead' }, prose(description.about)),
    description.groups.map((group) =>
      group.isAdministrative
        ? folded(group, t)
        : h(
            'section',
            {},
            h('h2', {}, group.title),
            group.description !== '' && h('p', { class: 'dim' }, group.description),
            operations(group),
          ),
    ),
  );
