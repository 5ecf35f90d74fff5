import { credentials } from './credentials.js';
import { fill, h, labelled } from './dom.js';
import { base } from './request.js';

/** @typedef {import('./texts.js').Texts} Texts */

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
  credentials.set({ token: String(answer.data.token), account: String(answer.data.user.username) });
  return undefined;
};

/** What is held, each with a way to forget it. @param {Texts} t */
const heldList = (t) => {
  const { token, account, apiKey, session } = credentials.held;
  /** @type {[string, Parameters<typeof credentials.set>[0]][]} */
  const rows = [];
  if (token !== undefined)
    rows.push([
      account === undefined ? t.haveToken : t.tokenOf + account,
      { token: undefined, account: undefined },
    ]);
  if (apiKey !== undefined) rows.push([`${t.haveKey} (${apiKey.slice(0, 8)}…)`, { apiKey: undefined }]);
  if (session !== undefined) rows.push([t.haveSession + session, { session: undefined }]);
  return h(
    'ul',
    { class: 'held' },
    rows.map(([text, change]) =>
      h(
        'li',
        {},
        text,
        ' ',
        h('button', { type: 'button', class: 'small', onclick: () => credentials.set(change) }, t.forget),
      ),
    ),
  );
};

/** A field for something that is pasted. @param {Texts} t @param {string} label @param {(text: string) => void} take */
const pasteForm = (t, label, take) => {
  const input = h('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = input.value.trim().replace(/^Bearer\s+/i, '');
    if (text !== '') take(text);
    input.value = '';
  };
  return h(
    'form',
    { onsubmit: submit, class: 'beside' },
    labelled(label, input),
    h('button', { type: 'submit' }, t.use),
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

/** The dialog in which credentials come and go. @param {Texts} t */
export const signInDialog = (t) => {
  const held = h('div', {});
  const redraw = () => fill(held, heldList(t));
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
    pasteForm(t, t.token, (token) => credentials.set({ token, account: undefined })),
    pasteForm(t, t.apiKey, (apiKey) => credentials.set({ apiKey })),
    h('p', { class: 'hint' }, t.signatureIntro),
  );
  return dialog;
};
