import { credentials } from './credentials.js';
import { readDescription } from './description.js';
import { fill, h, prose } from './dom.js';
import { operationView } from './operation-view.js';
import { base } from './request.js';
import { signInDialog } from './sign-in-view.js';
import { languageNames, texts } from './texts.js';
import { tryView } from './try-view.js';
import { waysOf } from './ways.js';

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {import('./texts.js').Texts} Texts
 */

const root = document.documentElement;
const app = /** @type {HTMLElement} */ (document.querySelector('#app'));

/** Choices that outlive the tab; nothing secret is among them. */
const settings = {
  /** @param {string} name */
  get: (name) => {
    try {
      return localStorage.getItem(`gatewright-docs-${name}`);
    } catch {
      return null;
    }
  },
  /** @param {string} name @param {string} value */
  set: (name, value) => {
    try {
      localStorage.setItem(`gatewright-docs-${name}`, value);
    } catch {
      // Storage is off: the choice holds for this page.
    }
  },
};

/** The first language of these that there is: the address, an earlier choice, the service's own. */
const firstLanguage = () => {
  const asked = [
    new URLSearchParams(location.search).get('lang'),
    settings.get('language'),
    root.dataset['serviceLocale'],
  ];
  return asked.find((name) => name !== null && name !== undefined && Object.hasOwn(texts, name)) ?? 'en';
};

let language = firstLanguage();
let theme = settings.get('theme') ?? 'auto';

/** @param {string | URL} address */
const json = async (address) => {
  const response = await fetch(address, { credentials: 'omit' });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
};

/** Always the description of this service: no address can be given from outside. @param {Texts} t @returns {Promise<Description>} */
const load = async (t) => {
  const [document, methods] = await Promise.all([
    json(`${base}/api-docs/openapi.json?lang=${encodeURIComponent(language)}`),
    json(new URL('methods.json', import.meta.url)),
  ]);
  return readDescription(document, waysOf(methods, { language, t, document }));
};

const applyTheme = () => {
  if (theme === 'auto') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
};

/** @param {string} label @param {Record<string, string>} options @param {string} chosen @param {(value: string) => void} choose */
const choice = (label, options, chosen, choose) =>
  h(
    'select',
    { 'aria-label': label, title: label, oninput: (/** @type {any} */ event) => choose(event.target.value) },
    Object.entries(options).map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );

/** @param {Texts} t @param {() => void} openSignIn */
const header = (t, openSignIn) => {
  const button = h('button', { type: 'button', class: 'primary', onclick: openSignIn });
  const redraw = () => {
    button.textContent = credentials.any ? (credentials.account ?? t.signedIn) : t.signIn;
  };
  credentials.onChange(redraw);
  redraw();
  return h(
    'header',
    {},
    h('a', { class: 'brand', href: '#/' }, 'Gatewright ', h('span', {}, t.documentation)),
    h(
      'div',
      { class: 'tools' },
      choice(t.language, languageNames, language, (chosen) => {
        language = chosen;
        settings.set('language', chosen);
        start();
      }),
      choice(t.theme, t.themes, theme, (chosen) => {
        theme = chosen;
        settings.set('theme', chosen);
        applyTheme();
      }),
      button,
    ),
  );
};

const selected = () => {
  try {
    return decodeURIComponent(location.hash.replace(/^#\/?/, ''));
  } catch {
    return '';
  }
};

/** @param {Description} description @param {Texts} t */
const navigation = (description, t) => {
  const list = h('div', { class: 'groups' });
  const search = h('input', { type: 'search', placeholder: t.find, 'aria-label': t.find });
  const redraw = () => {
    const words = search.value.toLowerCase();
    const groups = description.groups
      .map((group) => ({
        ...group,
        operations: group.operations.filter(({ id, path, summary }) =>
          `${id} ${path} ${summary}`.toLowerCase().includes(words),
        ),
      }))
      .filter((group) => group.operations.length > 0);
    const chosen = selected();
    fill(
      list,
      groups.length === 0 && h('p', { class: 'dim' }, t.nothingFound),
      groups.map((group) =>
        h(
          'section',
          {},
          h('h2', {}, group.title),
          h(
            'ul',
            {},
            group.operations.map((operation) =>
              h(
                'li',
                {},
                h(
                  'a',
                  {
                    href: `#/${operation.id}`,
                    title: `${operation.method} ${operation.path}`,
                    'aria-current': operation.id === chosen ? 'page' : null,
                  },
                  h('span', { class: `verb ${operation.method.toLowerCase()}` }, operation.method),
                  h('span', {}, operation.summary),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  };
  search.addEventListener('input', redraw);
  redraw();
  const wide = matchMedia('(min-width: 900px)').matches;
  const element = h(
    'details',
    { class: 'navigation', open: wide },
    h('summary', {}, t.menu),
    h('nav', { 'aria-label': t.menu }, search, list),
  );
  return { element, redraw };
};

/** @param {Description} description @param {Texts} t */
const overview = (description, t) =>
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
      h(
        'a',
        { href: `${base}/api-docs/openapi.json?lang=${encodeURIComponent(language)}` },
        `OpenAPI 3.1 ${t.description}`,
      ),
    ),
    prose(description.about),
    description.groups.map((group) =>
      h(
        'section',
        {},
        h('h2', {}, group.title),
        h(
          'ul',
          { class: 'operations' },
          group.operations.map((operation) =>
            h(
              'li',
              {},
              h(
                'a',
                { href: `#/${operation.id}` },
                h('span', { class: `verb ${operation.method.toLowerCase()}` }, operation.method),
                h('code', {}, operation.path),
                h('span', { class: 'dim' }, operation.summary),
              ),
            ),
          ),
        ),
      ),
    ),
  );

/** @param {Description} description @param {Texts} t */
const show = (description, t) => {
  const dialog = signInDialog(description.ways, t);
  const openSignIn = () => dialog.showModal();
  const menu = navigation(description, t);
  const main = h('main', {});
  /** @param {boolean} moved whether the reader went here, and did not only arrive */
  const route = (moved) => {
    const operation = description.operations.find(({ id }) => id === selected());
    document.title =
      operation === undefined ? description.title : `${operation.summary} · ${description.title}`;
    fill(
      main,
      operation === undefined
        ? overview(description, t)
        : [
            operationView(operation, description, t),
            tryView({ operation, resolve: description.resolve, ways: description.ways, t, openSignIn }),
          ],
    );
    menu.redraw();
    const wide = matchMedia('(min-width: 900px)').matches;
    // The contents are longer than most screens: the reader sees where they are.
    if (wide) menu.element.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    if (!moved) return;
    if (!wide) menu.element.open = false;
    scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (main.querySelector('h1, h2'))?.focus();
  };
  window.onhashchange = () => route(true);
  // Credentials that come while a form is open become its method; what was filled in stays.
  dialog.addEventListener('close', () => route(false));
  fill(app, header(t, openSignIn), h('div', { class: 'columns' }, menu.element, main), dialog);
  route(false);
};

const start = async () => {
  const t = texts[language];
  if (t === undefined) return;
  root.lang = language;
  applyTheme();
  try {
    show(await load(t), t);
  } catch (error) {
    fill(
      app,
      h(
        'main',
        {},
        h('p', { class: 'notice' }, `${t.loadFailed}: ${String(error)}`),
        h('button', { type: 'button', onclick: () => start() }, t.retry),
      ),
    );
  }
};

start();
