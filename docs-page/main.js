import { credentials } from './credentials.js';
import { readDescription } from './description.js';
import { fill, h } from './dom.js';
import { askDescription, firstLanguage } from './early.js';
import { exampleView } from './example-view.js';
import { partsOf } from './fields.js';
import { header } from './header.js';
import { keyScopes } from './key-scopes.js';
import { navigation } from './navigation.js';
import { answersView, operationView } from './operation-view.js';
import { overview } from './overview.js';
import { knownLists } from './own-records.js';
import { addressOf, nearest, placeOf } from './places.js';
import { failureText, reached } from './reach.js';
import { isTyping, searchView } from './search-view.js';
import { settings } from './settings.js';
import { signInDialog } from './sign-in-view.js';
import { texts } from './texts.js';
import { tryView } from './try-view.js';
import { waysOf } from './ways.js';

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./texts.js').Texts} Texts
 */

const root = document.documentElement;
const app = /** @type {HTMLElement} */ (document.querySelector('#app'));

let language = firstLanguage;

/** @param {Promise<Response>} asked */
const json = async (asked) => {
  const response = await reached(asked);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
};

/** @param {Texts} t @returns {Promise<Description>} */
const load = async (t) => {
  const [document, methods] = await Promise.all([
    json(askDescription(language)),
    json(fetch(new URL('methods.json', import.meta.url), { credentials: 'omit' })),
  ]);
  return readDescription(document, waysOf(methods, { language, t, document }));
};

const applyTheme = () => {
  const theme = settings.get('theme');
  if (theme === 'light' || theme === 'dark') root.dataset['theme'] = theme;
  else delete root.dataset['theme'];
};

/** The notice about an unknown name, with the nearest ones. @param {string} sentence @param {string} name @param {{ text: string, href: string }[]} near @param {Texts} t */
const absent = (sentence, name, near, t) => {
  const [before, after] = sentence.split('{name}');
  return h(
    'p',
    { class: 'notice', role: 'status' },
    before,
    h('code', {}, name),
    after,
    near.length > 0 && [
      t.nearest,
      near.map(({ text, href }, index) => [index > 0 && t.comma, h('a', { href }, h('code', {}, text))]),
    ],
  );
};

/** Brings a part into view and tells it apart for a moment. @param {Element} found */
const pointAt = (found) => {
  for (
    let folded = found.closest('details');
    folded !== null;
    folded = folded.parentElement?.closest('details') ?? null
  )
    folded.open = true;
  found.scrollIntoView({ block: 'center' });
  found.classList.add('pointed');
  const focusable = /** @type {HTMLElement | null} */ (
    found.matches('[tabindex]') ? found : found.querySelector('a.anchor')
  );
  focusable?.focus({ preventScroll: true });
};

/** The page that is drawn: its language, and its way to say something. @type {{ language: string, say: (text: string) => void } | undefined} */
let page;

/** @param {Description} description @param {Texts} t */
const show = (description, t) => {
  const said = h('p', { class: 'said', role: 'status', hidden: true });
  /** @param {string} text */
  const say = (text) => {
    said.textContent = text;
    said.hidden = false;
    setTimeout(() => {
      said.hidden = true;
    }, 4_000);
  };
  const dialog = signInDialog(description.ways, t, say);
  const openSignIn = () => dialog.showModal();
  const search = searchView(description, language, t);
  const menu = navigation(description, t, () => placeOf().operation);
  const main = h('main', {});
  const known = knownLists(description);
  /** The drawn operation, so that its parts are reached without drawing it again. @type {{ operation: string, showExample: (part: string) => boolean } | undefined} */
  let drawn;

  /** Draws the form again as it is filled in, with what is known of the credentials. */
  const redrawTry = () => {
    const operation = description.operations.find(({ id }) => id === placeOf().operation);
    if (operation === undefined) return;
    main.querySelector('.try')?.replaceWith(tryView({ operation, known, t, scopes, openSignIn }));
  };
  const scopes = keyScopes(description, () => {
    menu.mark(scopes);
    redrawTry();
  });

  /** @param {Operation} operation */
  const drawOperation = (operation) => {
    const { resolve } = description;
    const example = exampleView(operation, description, t);
    const showExample = (/** @type {string} */ part) => example.show(part);
    fill(
      main,
      h(
        'div',
        { class: 'pair' },
        operationView(operation, description, t),
        tryView({ operation, known, t, scopes, openSignIn }),
      ),
      h(
        'div',
        { class: 'pair' },
        answersView(operation, resolve, t, (part) => showExample(part)),
        h('div', { class: 'side sticky' }, example.element),
      ),
    );
    drawn = { operation: operation.id, showExample };
  };

  /** @param {string} asked */
  const drawOverview = (asked) => {
    drawn = undefined;
    const near = nearest(
      asked,
      description.operations.map(({ id }) => id),
    );
    fill(
      main,
      asked !== '' &&
        absent(
          t.noOperation,
          asked,
          near.map((text) => ({ text, href: addressOf(text) })),
          t,
        ),
      overview(description, language, t),
    );
  };

  /** @param {Operation} operation @param {string} part */
  const goTo = (operation, part) => {
    // A reader who came for an error also sees its response.
    if (part.startsWith('error.')) drawn?.showExample(part.replace('error', 'example'));
    const isExample = part.startsWith('example.') && drawn?.showExample(part) === true;
    const wanted = isExample ? 'example' : part;
    const found = [...main.querySelectorAll('[data-part]')].find(
      (each) => each.getAttribute('data-part') === wanted,
    );
    if (found !== undefined) return pointAt(found);
    const near = nearest(part, partsOf(operation, description.resolve));
    const links = near.map((text) => ({ text, href: addressOf(operation.id, text) }));
    const notice = absent(t.noPart, part, links, t);
    main.querySelector('.about')?.prepend(notice);
    scrollTo(0, 0);
  };

  /** @param {boolean} moved whether the reader went here, and did not only arrive */
  const route = (moved) => {
    const { operation: id, part } = placeOf();
    const operation = description.operations.find((each) => each.id === id);
    document.title =
      operation === undefined ? description.title : `${operation.summary} · ${description.title}`;
    const isNew = operation === undefined || drawn?.operation !== id || !moved;
    if (operation === undefined) drawOverview(id);
    else if (isNew) drawOperation(operation);
    menu.redraw();
    for (const old of main.querySelectorAll('.pointed')) old.classList.remove('pointed');
    const wide = matchMedia('(min-width: 900px)').matches;
    // The contents are longer than most screens: the reader sees where they are.
    if (wide) menu.element.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    if (moved && !wide) menu.element.open = false;
    if (operation !== undefined && part !== '') return goTo(operation, part);
    if (!moved) return;
    scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (main.querySelector('h1, h2'))?.focus();
  };
  window.onhashchange = () => route(true);
  window.onkeydown = (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    search.focus();
  };
  // Credentials that arrive while a form is open become its method; its content stays.
  let before = credentials.any;
  dialog.addEventListener('close', () => {
    const { operation: id } = placeOf();
    const operation = description.operations.find((each) => each.id === id);
    if (operation === undefined && before === credentials.any) return;
    before = credentials.any;
    redrawTry();
  });
  fill(
    app,
    header({
      application: description.application,
      t,
      language,
      search: search.element,
      openSignIn,
      chooseLanguage,
      chooseTheme,
    }),
    h('div', { class: 'columns' }, menu.element, main),
    dialog,
    said,
  );
  route(false);
  page = { language, say };
};

/** @param {string} chosen */
const chooseLanguage = async (chosen) => {
  language = chosen;
  await start();
  if (page?.language === chosen) settings.set('locale', chosen);
};

/** @param {string} chosen */
const chooseTheme = (chosen) => {
  settings.set('theme', chosen);
  applyTheme();
};

const start = async () => {
  const t = texts[language];
  if (t === undefined) return;
  root.lang = language;
  applyTheme();
  // A drawn page stays until the next one can be drawn.
  if (app.childElementCount === 0)
    fill(app, h('main', {}, h('p', { class: 'dim loading', role: 'status' }, t.loading)));
  try {
    show(await load(t), t);
  } catch (error) {
    const failure = t.loadFailed + t.colon + failureText(error, t);
    if (page !== undefined) {
      // A readable part is worth more than an error page.
      language = page.language;
      root.lang = language;
      page.say(failure);
      return;
    }
    fill(
      app,
      h(
        'main',
        {},
        h('p', { class: 'notice' }, failure),
        h('button', { type: 'button', onclick: () => start() }, t.retry),
      ),
    );
  }
};

settings.onChange((name) => {
  if (name === 'theme') applyTheme();
  const chosen = settings.get('locale');
  if (name === 'locale' && chosen !== undefined && Object.hasOwn(texts, chosen) && chosen !== language) {
    language = chosen;
    start();
  }
});

// On paper nothing can be unfolded.
addEventListener('beforeprint', () => {
  for (const folded of app.querySelectorAll('main details:not([open])')) {
    folded.setAttribute('open', '');
    folded.setAttribute('data-printed', '');
  }
});
addEventListener('afterprint', () => {
  for (const folded of app.querySelectorAll('[data-printed]')) {
    folded.removeAttribute('open');
    folded.removeAttribute('data-printed');
  }
});

start();
