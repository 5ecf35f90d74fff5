import { breakable, h, inline } from './dom.js';
import { linkTo } from './places.js';

/** Tables of an operation, each row of which has an address. */

/** @typedef {import('./texts.js').Texts} Texts */

/** @typedef {{ part?: string, label?: string, cells: import('./dom.js').Child[] }} Row */

/** A table that scrolls inside itself. @param {string} operation @param {string[]} head @param {Row[]} rows @param {Texts} t */
export const table = (operation, head, rows, t) =>
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
        rows.map(({ part, label = '', cells: [first, ...others] }) =>
          h(
            'tr',
            { 'data-part': part },
            h('td', {}, first, part !== undefined && linkTo({ operation, part }, label, t)),
            others.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  );

/** Characters of a type that stand in its column; a longer list of choices opens on demand. */
const longestType = 80;

/** A type: one line that opens where it is a long list of choices. @param {string} type @param {Texts} t */
export const typeCell = (type, t) => {
  const choices = type.split(' | ');
  const whole = h('span', { class: 'type' }, breakable(type));
  if (type.length <= longestType || choices.length < 3) return whole;
  const summary = t.choices.replace('{count}', String(choices.length));
  return h('details', { class: 'choices' }, h('summary', { class: 'type' }, summary), whole);
};

/** @param {string} operation @param {import('./fields.js').Field[]} fields @param {Texts} t */
export const fieldTable = (operation, fields, t) =>
  table(
    operation,
    [t.name, t.type, t.meaning],
    fields.map(({ path, part, type, words, required }) => ({
      part,
      label: path,
      cells: [
        [
          h('code', {}, breakable(path)),
          required && h('span', { class: 'required', title: t.required }, '*'),
        ],
        typeCell(type, t),
        inline(words),
      ],
    })),
    t,
  );
