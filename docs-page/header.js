import { credentials } from './credentials.js';
import { fill, h } from './dom.js';
import { icon, mark } from './icons.js';
import { base, handbook } from './request.js';
import { settings } from './settings.js';
import { languageNames } from './texts.js';

/** The head of the page, with the controls of the administration area in their order. */

const isDark = () =>
  (settings.get('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) ===
  'dark';

/** @param {import('./texts.js').Texts} t @param {(chosen: string) => void} choose */
const themeButton = (t, choose) => {
  const button = h('button', { type: 'button', class: 'icon' });
  const redraw = () => {
    const text = isDark() ? t.toLight : t.toDark;
    button.setAttribute('aria-label', text);
    button.title = text;
    fill(button, icon(isDark() ? 'light' : 'dark'));
  };
  button.addEventListener('click', () => {
    choose(isDark() ? 'light' : 'dark');
    redraw();
  });
  settings.onChange(redraw);
  redraw();
  return button;
};

/** The environment in its colour. @param {import('./description.js').Application} application */
const environmentBadge = ({ environment }) => {
  if (environment === undefined) return undefined;
  const badge = h('span', { class: 'environment' }, environment.label);
  badge.style.backgroundColor = environment.colour;
  badge.style.color = environment.ink;
  return badge;
};

/**
 * @param {{
 *   application: import('./description.js').Application, t: import('./texts.js').Texts, language: string, search: HTMLElement, openSignIn: () => void,
 *   chooseLanguage: (chosen: string) => void, chooseTheme: (chosen: string) => void
 * }} options
 */
export const header = ({ application, t, language, search, openSignIn, chooseLanguage, chooseTheme }) => {
  const account = h('button', { type: 'button', class: 'primary account', onclick: openSignIn });
  const redraw = () => {
    account.textContent = credentials.any ? (credentials.account ?? t.signedIn) : t.signIn;
  };
  credentials.onChange(redraw);
  redraw();
  const [other = 'en', otherName = ''] =
    Object.entries(languageNames).find(([name]) => name !== language) ?? [];
  return h(
    'header',
    {},
    h(
      'a',
      { class: 'brand', href: '#/' },
      mark(26),
      h('span', { class: 'brand-name' }, application.name),
      environmentBadge(application),
      ' ',
      h('span', { class: 'dim' }, t.documentation),
    ),
    search,
    h(
      'div',
      { class: 'tools' },
      h('a', { class: 'elsewhere handbook-link', href: handbook(language) }, t.handbook),
      h('a', { class: 'elsewhere', href: `${base}/admin` }, t.administration),
      h(
        'button',
        {
          type: 'button',
          class: 'icon',
          lang: other,
          'aria-label': otherName,
          title: otherName,
          onclick: () => chooseLanguage(other),
        },
        icon('language'),
      ),
      themeButton(t, chooseTheme),
      account,
    ),
  );
};
