/** The pages of end users: links of mails, and the sign-in with a provider. Tokens and codes stay in the page. */

import { fill, h } from '../docs-page/dom.js';
import { alertBox, form } from './form.js';
import { base, facts, request } from './service.js';
import { filled, texts } from './texts.js';

/** @typedef {import('../docs-page/dom.js').Child} Child */

const place = /** @type {HTMLElement} */ (document.querySelector('main'));

const { application = '', title = '', environment, colour, ink, home } = facts;

if (colour !== undefined && ink !== undefined) {
  document.documentElement.style.setProperty('--brand', colour);
  document.documentElement.style.setProperty('--on-brand', ink);
}

/**
 * Shows a step. Its heading gets the focus where no field takes it.
 * @param {string} heading @param {...Child} children
 */
const show = (heading, ...children) => {
  document.title = `${heading} · ${title}`;
  const headline = h('h1', { tabindex: -1 }, heading);
  const badge = environment === undefined ? null : h('span', { class: 'environment' }, environment);
  fill(place, h('header', {}, h('span', {}, application), badge), headline, children);
  const first = place.querySelector('[autofocus]') ?? headline;
  if (first instanceof HTMLElement) first.focus();
};

/** @param {string} text @param {string} href @param {string} [kind] */
const link = (text, href, kind = 'link') => h('a', { href, class: kind }, text);

/** @param {string} name a page of these */
const pageAt = (name) => `${base}/account/${name}`;

/** The way on from a page, as its main action or as a link. */
const wayOn = (kind = 'button primary') => {
  if (home !== undefined) return link(filled(texts.continueTo, { name: application }), home, kind);
  if (facts['admin'] !== undefined) return link(texts.toSignIn, `${base}/admin/login`, kind);
  return kind === 'link' ? null : h('p', { class: 'hint' }, texts.close);
};

/** @param {string} heading @param {string} sentence */
const ending = (heading, sentence) =>
  show(heading, h('p', { class: 'message', role: 'status' }, sentence), wayOn());

/** @param {string} message @param {Child} way another link, or what to do */
const over = (message, way) => {
  const alert = alertBox();
  show(texts.overTitle, alert, way);
  alert.textContent = message;
  alert.hidden = false;
};

const incomplete = () => show(texts.incompleteTitle, h('p', {}, texts.incomplete), wayOn());

/** @param {string} label */
const newPassword = (label) => ({
  name: 'password',
  label,
  type: 'password',
  autocomplete: 'new-password',
  hint: texts.passwordHint,
});

/**
 * A form of one request: its success, or a link that is over.
 * @param {Omit<Parameters<typeof form>[0], 'send' | 'done'> & { path: string, token?: string }} options
 * @param {(data: any) => void} succeed
 * @param {Child} way from a link that is over
 */
const requestForm = ({ path, token, ...options }, succeed, way) =>
  form({
    ...options,
    send: (values) => request(path, token === undefined ? values : { ...values, token }),
    done: ({ status, message, data }) => (status < 300 ? succeed(data) : over(message, way)),
  });

/** @param {string} name */
const again = (name) => link(texts.again, pageAt(name), 'button primary');

/** @param {string} token */
const register = (token) => {
  if (token !== '')
    return show(
      texts.completeTitle,
      requestForm(
        {
          path: '/api/v1/auth/register/confirm',
          token,
          fields: [
            { name: 'username', label: texts.username, autocomplete: 'username', hint: texts.usernameHint },
            { name: 'name', label: texts.name, autocomplete: 'name' },
            newPassword(texts.password),
          ],
          submit: texts.register,
        },
        ({ username }) => ending(texts.registered, filled(texts.registeredLead, { name: username })),
        again('register'),
      ),
    );
  show(
    texts.register,
    h('p', {}, texts.registerLead),
    requestForm(
      {
        path: '/api/v1/auth/register',
        fields: [{ name: 'email', label: texts.email, type: 'email', autocomplete: 'email' }],
        submit: texts.send,
      },
      () => ending(texts.sentTitle, texts.registerSent),
      null,
    ),
    wayOn('link'),
  );
};

/** @param {string} token */
const passwordReset = (token) => {
  if (token !== '')
    return show(
      texts.newPasswordTitle,
      h('p', {}, texts.newPasswordLead),
      requestForm(
        {
          path: '/api/v1/auth/password_reset/confirm',
          token,
          fields: [newPassword(texts.newPassword)],
          submit: texts.setPassword,
        },
        () => ending(texts.passwordSet, texts.passwordSetLead),
        again('password_reset'),
      ),
    );
  show(
    texts.resetTitle,
    h('p', {}, texts.resetLead),
    requestForm(
      {
        path: '/api/v1/auth/password_reset',
        fields: [{ name: 'account', label: texts.account, autocomplete: 'username' }],
        submit: texts.send,
      },
      () => ending(texts.sentTitle, texts.resetSent),
      null,
    ),
    wayOn('link'),
  );
};

/** @param {string} token */
const email = (token) => {
  if (token === '') return incomplete();
  show(
    texts.addressTitle,
    h('p', {}, texts.addressLead),
    requestForm(
      { path: '/api/v1/auth/email/confirm', token, fields: [], submit: texts.confirmAddress },
      () => ending(texts.addressDone, texts.addressDoneLead),
      wayOn(),
    ),
  );
};

/** @param {{ username: string, roles: readonly string[] }} user */
const invited = ({ username, roles }) => {
  const isAdministrator = roles.includes('super_admin') || roles.includes('admin');
  ending(texts.passwordSet, filled(texts.invitedLead, { name: username }));
  if (isAdministrator && home !== undefined && facts['admin'] !== undefined)
    place.append(link(texts.toAdministration, `${base}/admin/login`));
};

/** The link is checked before anything is asked. @param {string} token */
const invitation = async (token) => {
  if (token === '') return incomplete();
  show(texts.invitationTitle, h('p', { role: 'status', class: 'hint' }, texts.checking));
  const { status, message, data } = await request('/admin/invitation/lookup', { token });
  const another = h('p', {}, texts.askAnother);
  if ([404, 410].includes(status)) return over(message, another);
  if (status !== 200) {
    const retry = h(
      'button',
      { type: 'button', class: 'primary', onclick: () => void invitation(token) },
      texts.retry,
    );
    return show(texts.invitationTitle, h('p', { class: 'message', role: 'alert' }, message), retry);
  }
  const { username, name, email: address, expires_at: until } = data;
  const known = [name === username ? null : name, address].filter((each) => each !== null && each !== '');
  const time = new Date(until).toLocaleString(document.documentElement.lang, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  show(
    texts.invitationTitle,
    h('p', {}, filled(texts.invitationLead, { name: username })),
    h('p', { class: 'hint' }, known.join(' · '), known.length > 0 && h('br'), filled(texts.until, { time })),
    requestForm(
      {
        path: '/admin/invitation',
        token,
        fields: [newPassword(texts.newPassword)],
        submit: texts.setPassword,
        account: username,
      },
      invited,
      another,
    ),
  );
};

/** @param {string} message of a failed sign-in; empty for none */
const providers = async (message) => {
  const { data } = await request('/api/v1/auth/providers');
  const list = /** @type {readonly { name: string, label: string }[]} */ (data ?? []);
  show(
    texts.signIn,
    message === '' ? h('p', {}, texts.signInLead) : h('p', { class: 'message', role: 'alert' }, message),
    list.map(({ name, label }) =>
      link(filled(texts.signInWith, { name: label }), `${base}/api/v1/auth/oidc/${name}`, 'button'),
    ),
    wayOn('link'),
    facts['mail'] === undefined ? null : link(texts.forgot, pageAt('password_reset')),
    facts['registration'] === undefined ? null : link(texts.register, pageAt('register')),
  );
};

/** Hands the one-time code on to the page that exchanges it. @param {string} fragment */
const login = (fragment) => {
  const values = new URLSearchParams(fragment);
  const { arrival } = facts;
  if (values.has('code') && arrival !== undefined)
    return location.replace(`${arrival}#code=${encodeURIComponent(values.get('code') ?? '')}`);
  if (values.has('code')) return ending(texts.providerDone, texts.providerDoneLead);
  if (values.has('linked')) return ending(texts.linked, texts.linkedLead);
  return providers(values.has('error') ? texts.providerFailed : '');
};

const pages = { register, password_reset: passwordReset, email, invitation, login };

/** Takes the fragment out of the address bar and the history, and shows the page. */
const open = () => {
  const fragment = location.hash.slice(1);
  if (fragment !== '') history.replaceState(null, '', location.pathname);
  const page = pages[/** @type {keyof typeof pages} */ (facts['page'])];
  void page(fragment);
};

open();
// Another link in the same tab.
addEventListener('hashchange', open);
