import { credentials, loginSlot } from './credentials.js';
import { fill, h, labelled } from './dom.js';
import { base } from './request.js';

/**
 * @typedef {import('./texts.js').Texts} Texts
 * @typedef {import('./ways.js').Ways} Ways
 */

/** @param {string} account @param {string} password @returns {Promise<string | undefined>} what was refused, in words */
const login = async (account, password) => {
  const response = await fetch(`${base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ account, password }),
    credentials: 'omit',
    cache: 'no-store',
  });
  const answer = await response.json();
  if (!response.ok) return String(answer.message);
  credentials.set(loginSlot, String(answer.data.token), String(answer.data.user.username));
  return undefined;
};

/** The first way of each slot. @param {Ways} ways */
const bySlot = (ways) =>
  [...ways.values()].filter(
    ({ slot }, index, all) => all.findIndex((other) => other.slot === slot) === index,
  );

/** What is held, each with a way to forget it. @param {Ways} ways @param {Texts} t */
const heldList = (ways, t) => {
  const rows = bySlot(ways).flatMap(({ slot = '', heldText }) => {
    const held = credentials.get(slot);
    return held === undefined ? [] : [{ slot, text: heldText?.(held) ?? slot }];
  });
  return h(
    'ul',
    { class: 'held' },
    rows.map(({ slot, text }) =>
      h(
        'li',
        {},
        text,
        ' ',
        h('button', { type: 'button', class: 'small', onclick: () => credentials.forget(slot) }, t.forget),
      ),
    ),
  );
};

/** @param {Texts} t */
const loginForm = (t) => {
  const account = h('input', { autocomplete: 'username', spellcheck: 'false', autocapitalize: 'none' });
  const password = h('input', { type: 'password', autocomplete: 'current-password' });
  const word = h('p', { class: 'notice', role: 'status', hidden: true });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const refused = await login(account.value, password.value).catch((error) => t.failed + String(error));
    password.value = '';
    word.hidden = refused === undefined;
    word.textContent = refused ?? '';
  };
  return h(
    'form',
    { onsubmit: submit },
    labelled(t.account, account, t.accountHint),
    labelled(t.password, password),
    word,
    h('button', { type: 'submit', class: 'primary' }, t.signIn),
  );
};

/** The dialog in which credentials come and go. @param {Ways} ways @param {Texts} t */
export const signInDialog = (ways, t) => {
  const held = h('div', {});
  const redraw = () => fill(held, heldList(ways, t));
  credentials.onChange(redraw);
  redraw();
  const dialog = h('dialog', { 'aria-label': t.signIn });
  fill(
    dialog,
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', {}, t.signIn),
      h('button', { type: 'button', class: 'small', onclick: () => dialog.close() }, t.close),
    ),
    h('p', { class: 'dim' }, t.signInIntro),
    held,
    loginForm(t),
    h('hr', {}),
    bySlot(ways).map(({ dialog: part }) => part?.()),
    [...ways.values()].map(({ intro }) => intro !== undefined && h('p', { class: 'hint' }, intro)),
  );
  return dialog;
};
