import { fill, h } from './dom.js';
import { addressOf } from './places.js';

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {import('./description.js').Group} Group
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./texts.js').Texts} Texts
 */

/** @param {Operation} operation */
const entry = ({ id, method, path, summary }) =>
  h(
    'li',
    {},
    h(
      'a',
      { href: addressOf(id), title: `${method} ${path}`, 'data-operation': id },
      h('span', { class: `verb ${method.toLowerCase()}` }, method),
      h('span', {}, summary),
    ),
  );

/** Below what of the administration area a path is: `users`, `records/orders`. @param {Operation} operation */
const areaOf = ({ path }) => {
  const [, , first = '', second = ''] = path.split('/');
  return first === 'records' ? `records/${second}` : first;
};

/** Many operations of administrators, folded; drawn when they are unfolded. @param {Group} group @param {() => string} current */
const administrative = (group, current) => {
  const inner = h('div', {});
  const draw = () => {
    if (inner.childElementCount > 0) return;
    const areas = Map.groupBy(group.operations, areaOf);
    fill(
      inner,
      [...areas].map(([area, operations]) => [h('h3', {}, area), h('ul', {}, operations.map(entry))]),
    );
  };
  const element = h(
    'details',
    { class: 'group folded' },
    h(
      'summary',
      {},
      h('span', { class: 'group-title' }, group.title),
      h('span', { class: 'count' }, group.operations.length),
    ),
    inner,
  );
  element.addEventListener('toggle', () => element.open && draw());
  const reveal = () => {
    if (!group.operations.some(({ id }) => id === current())) return;
    draw();
    element.open = true;
  };
  return { element, reveal };
};

/** Marks the operations that the held key may not call. @param {HTMLElement} nav @param {Description} description @param {Texts} t @param {import('./key-scopes.js').KeyScopes} scopes */
const markOutOfScope = (nav, { operations }, t, scopes) => {
  for (const mark of nav.querySelectorAll('.out-of-scope')) mark.remove();
  for (const operation of operations) {
    const lacking = scopes.lacking(operation);
    if (lacking === undefined) continue;
    const title = t.outOfScope.replace('{scope}', lacking);
    nav
      .querySelector(`[data-operation="${CSS.escape(operation.id)}"]`)
      ?.append(h('span', { class: 'out-of-scope chip warn', title }, '403'));
  }
};

/** The contents, in the order of the description; operations for administrators only are separate. @param {Description} description @param {Texts} t @param {() => string} current */
export const navigation = (description, t, current) => {
  const folded = description.groups
    .filter((group) => group.isAdministrative)
    .map((group) => administrative(group, current));
  const open = description.groups.filter((group) => !group.isAdministrative);
  const nav = h(
    'nav',
    { 'aria-label': t.menu },
    h(
      'ul',
      { class: 'top' },
      h('li', {}, h('a', { href: '#/', 'data-operation': '' }, h('span', {}, t.overview))),
    ),
    open.map((group) =>
      h('section', { class: 'group' }, h('h2', {}, group.title), h('ul', {}, group.operations.map(entry))),
    ),
    folded.map(({ element }) => element),
  );
  const wide = matchMedia('(min-width: 900px)').matches;
  const element = h('details', { class: 'navigation', open: wide }, h('summary', {}, t.menu), nav);
  const redraw = () => {
    for (const { reveal } of folded) reveal();
    nav.querySelector('[aria-current]')?.removeAttribute('aria-current');
    nav.querySelector(`[data-operation="${CSS.escape(current())}"]`)?.setAttribute('aria-current', 'page');
  };
  redraw();
  return {
    element,
    redraw,
    /** @param {import('./key-scopes.js').KeyScopes} scopes */
    mark: (scopes) => markOutOfScope(nav, description, t, scopes),
  };
};
