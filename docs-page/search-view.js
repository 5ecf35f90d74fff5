import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { handbook } from './request.js';
import { addTopics, excerpt, find, indexing, marked } from './search.js';

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {import('./search.js').Entry} Entry
 * @typedef {import('./texts.js').Texts} Texts
 */

/** @param {string} text @param {string} asked */
const words = (text, asked) =>
  marked(text, asked).map(({ text: part, hit }) => (hit ? h('mark', {}, part) : part));

/** @param {Entry} entry @param {string} asked @param {number} index */
const option = ({ kind, title, note, href, verb }, asked, index) =>
  h(
    'a',
    { role: 'option', id: `hit-${index}`, href, tabindex: '-1', 'aria-selected': 'false' },
    verb !== undefined && h('span', { class: `verb ${verb.toLowerCase()}` }, verb),
    h(kind === 'fields' || kind === 'errors' ? 'code' : 'span', {}, words(excerpt(title, asked), asked)),
    h('span', { class: 'dim' }, words(excerpt(note, asked), asked)),
  );

/**
 * The search of the head: `/` goes to it, arrows choose, Enter goes there, Escape clears and then leaves.
 * @param {Description} description @param {string} language @param {Texts} t
 */
export const searchView = (description, language, t) => {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  const steps = indexing(description, entries);
  /** The index is made while nothing else is to be done; a faster reader waits for the rest. @param {IdleDeadline} [deadline] */
  const advance = (deadline) => {
    let ended = false;
    while (!ended && (deadline === undefined || deadline.timeRemaining() > 1))
      ended = steps.next().done === true;
    if (!ended) requestIdleCallback(advance);
  };
  if ('requestIdleCallback' in window) requestIdleCallback(advance);
  /** Whether the handbook was asked for its sections: with the first search, as few readers begin one. */
  let topicsAsked = false;
  const askTopics = async () => {
    if (topicsAsked) return;
    topicsAsked = true;
    const contents = new URL(handbook(language));
    const address = new URL(`handbook/topics.json${contents.search}`, contents);
    try {
      const response = await fetch(address, { credentials: 'omit' });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      addTopics(await response.json(), entries, `${contents.origin}${contents.pathname}/`);
      if (list.hidden) return;
      // The one that was chosen meanwhile stands before those of the handbook.
      const before = chosen;
      redraw();
      choose(before);
    } catch {
      // The search goes on without them, and asks again when it is used again.
      topicsAsked = false;
    }
  };
  /** @type {HTMLAnchorElement[]} */
  let options = [];
  let chosen = 0;
  const input = h('input', {
    type: 'search',
    role: 'combobox',
    placeholder: t.find,
    'aria-label': t.find,
    'aria-expanded': 'false',
    'aria-controls': 'hits',
    'aria-autocomplete': 'list',
    'aria-keyshortcuts': '/',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = h('div', { class: 'hits', id: 'hits', role: 'listbox', 'aria-label': t.found, hidden: true });
  const count = h('span', { class: 'unseen', role: 'status' });
  const choose = (/** @type {number} */ index) => {
    options[chosen]?.setAttribute('aria-selected', 'false');
    chosen = options.length === 0 ? 0 : (index + options.length) % options.length;
    const option = options[chosen];
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const redraw = () => {
    const asked = input.value.trim();
    if (asked === '') return close();
    advance();
    const found = find(entries.values(), asked);
    options = [];
    const groups = [...found].map(([kind, hits]) => {
      const links = hits.map((entry, index) => option(entry, asked, options.length + index));
      options.push(...links);
      return h(
        'div',
        { role: 'group', 'aria-label': t.kinds[kind] },
        h('p', { 'aria-hidden': 'true' }, t.kinds[kind]),
        links,
      );
    });
    fill(list, groups.length === 0 ? h('p', { class: 'dim' }, t.nothingFound) : groups);
    count.textContent = options.length === 0 ? t.nothingFound : `${t.found}${t.colon}${options.length}`;
    list.hidden = false;
    input.setAttribute('aria-expanded', String(options.length > 0));
    choose(0);
  };
  const leave = () => {
    input.value = '';
    close();
    input.blur();
  };
  /** @type {Map<string, () => void>} */
  const keys = new Map([
    ['ArrowDown', () => choose(chosen + 1)],
    ['ArrowUp', () => choose(chosen - 1)],
    [
      'Enter',
      () => {
        if (!list.hidden) options[chosen]?.click();
      },
    ],
    [
      'Escape',
      () => {
        if (input.value === '') input.blur();
        input.value = '';
        close();
      },
    ],
  ]);
  input.addEventListener('keydown', (event) => {
    const act = keys.get(event.key);
    // While an input method composes, Enter and the arrows are its own.
    if (act === undefined || event.isComposing) return;
    event.preventDefault();
    act();
  });
  input.addEventListener('input', redraw);
  input.addEventListener('focus', () => {
    askTopics();
    redraw();
  });
  list.addEventListener('click', leave);
  const element = h(
    'div',
    { class: 'search', role: 'search' },
    icon('search', 18),
    input,
    h('kbd', { 'aria-hidden': 'true' }, '/'),
    list,
    count,
  );
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (!element.contains(/** @type {Node | null} */ (relatedTarget))) close();
  });
  return { element, focus: () => input.focus() };
};

/** Whether a key that was pressed is meant for a field. @param {EventTarget | null} target */
export const isTyping = (target) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, dialog[open]') !== null;
