import { credentials, loginSlot } from './credentials.js';
import { fill, h, labelled } from './dom.js';
import { ask, failureText } from './reach.js';
import { base } from './request.js';

/**
 * @typedef {import('./texts.js').Texts} Texts
 * @typedef {import('./ways.js').Ways} Ways
 */

/** Codes of a login that needs the second factor, and of one whose second factor was wrong. */
const factorCodes = [40_107, 40_108];

/**
 * @param {string} account @param {string} password @param {string} otp empty when none was asked for
 * @returns {Promise<{ readonly refused?: string, readonly asksFactor: boolean }>} the refusal in words
 */
const login = async (account, password, otp) => {
  const response = await ask(`${base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ account, password, ...(otp === '' ? {} : { otp }) }),
    credentials: 'omit',
    cache: 'no-store',
  });
  const answer = await response.json();
  if (!response.ok) return { refused: String(answer.message), asksFactor: factorCodes.includes(answer.code) };
  credentials.set(loginSlot, String(answer.data.token), String(answer.data.user.username));
  return { asksFactor: false };
};

/**
 * The identity of the administration area, for this page: a token of the session there, which ends with it. It is renewed
 * as long as both go on.
 * @param {Texts} t @returns {Promise<string | undefined>} what was refused, in words
 */
const takeSession = async (t) => {
  const response = await ask(`${base}/admin/session/token`, {
    method: 'POST',
    credentials: 'same-origin',
    cache: 'no-store',
  });
  const answer = await response.json();
  if (response.status === 401) return t.noSession;
  if (!response.ok) return String(answer.message);
  const { token, expires_at: end, user } = answer.data;
  // When it ends the clock of the service says, which may not be that of this machine.
  const lives = Date.parse(end) - Date.parse(response.headers.get('date') ?? new Date().toISOString());
  const renewal = { expires: Date.now() + lives, renew: () => takeSession(t).catch(() => undefined) };
  credentials.set(loginSlot, String(token), String(user.username), renewal);
  return undefined;
};

/** The first way of each slot. @param {Ways} ways */
const bySlot = (ways) =>
  [...ways.values()].filter(
    ({ slot }, index, all) => all.findIndex((other) => other.slot === slot) === index,
  );

/**
 * Signs out: revokes a token that the login on this page has issued. One that was pasted is only forgotten, and that of a
 * session ends with it.
 * @param {import('./ways.js').Way} way @param {import('./ways.js').Held} one
 */
const signOut = async (way, one) => {
  const sent = credentials.get(loginSlot);
  credentials.use(loginSlot, one);
  const method = 'POST';
  const url = `${base}/api/v1/auth/logout`;
  const form = { values: {}, filters: [], body: '', asked: {}, method: way.name };
  const headers = await way.headers(form, { method, url, headers: {}, body: undefined });
  await ask(url, { method, headers, credentials: 'omit' });
  credentials.forget(loginSlot, one);
  if (sent !== undefined && sent !== one) credentials.use(loginSlot, sent);
};

/** The held credentials, each with a way to forget it. @param {Ways} ways @param {Texts} t @param {(refused: string) => void} say */
const heldList = (ways, t, say) => {
  const rows = bySlot(ways).flatMap((way) => {
    const { slot = '', heldText } = way;
    return credentials.all(slot).map((one) => {
      const isIssued = slot === loginSlot && one.account !== undefined && one.renewal === undefined;
      const end = isIssued
        ? () => signOut(way, one).catch((error) => say(failureText(error, t)))
        : () => credentials.forget(slot, one);
      return { text: heldText?.(one) ?? slot, end, word: isIssued ? t.signOut : t.forget };
    });
  });
  return h(
    'ul',
    { class: 'held' },
    rows.map(({ text, end, word }) =>
      h('li', {}, text, ' ', h('button', { type: 'button', class: 'small', onclick: end }, word)),
    ),
  );
};

/** A line that says what was refused. */
const refusalLine = () => {
  const element = h('p', { class: 'notice', role: 'status', hidden: true });
  /** @param {string | undefined} text */
  const say = (text) => {
    element.hidden = text === undefined;
    element.textContent = text ?? '';
  };
  return { element, say };
};

/** @param {Texts} t @param {() => void} done */
const sessionPart = (t, done) => {
  const word = refusalLine();
  const take = async () => {
    const refused = await takeSession(t).catch((error) => failureText(error, t));
    word.say(refused);
    if (refused === undefined) done();
  };
  return h(
    'section',
    { class: 'identity' },
    h('button', { type: 'button', class: 'primary wide', onclick: take }, t.useSession),
    h('p', { class: 'hint' }, t.sessionHint, h('a', { href: `${base}/admin` }, t.openAdministration)),
    word.element,
  );
};

/** @param {Texts} t @param {() => void} done */
const loginForm = (t, done) => {
  const account = h('input', { autocomplete: 'username', spellcheck: 'false', autocapitalize: 'none' });
  const password = h('input', { type: 'password', autocomplete: 'current-password' });
  const otp = h('input', { autocomplete: 'one-time-code', spellcheck: 'false', autocapitalize: 'none' });
  const factor = labelled(t.otp, otp, t.otpHint);
  factor.hidden = true;
  const word = refusalLine();
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const { refused, asksFactor } = await login(account.value, password.value, otp.value).catch((error) => ({
      refused: failureText(error, t),
      asksFactor: false,
    }));
    otp.value = '';
    factor.hidden = !asksFactor;
    // The second step sends the password again.
    if (!asksFactor) password.value = '';
    word.say(refused);
    if (refused === undefined) done();
    else if (asksFactor) otp.focus();
    else password.focus();
  };
  return h(
    'form',
    { onsubmit: submit },
    labelled(t.account, account, t.accountHint),
    labelled(t.password, password),
    factor,
    word.element,
    h('button', { type: 'submit', class: 'primary' }, t.signIn),
  );
};

/**
 * The dialog in which credentials come and go. It closes when there are some, and the focus is where it was.
 * @param {Ways} ways @param {Texts} t @param {(text: string) => void} say tells as whom one goes on
 */
export const signInDialog = (ways, t, say) => {
  const held = h('div', {});
  const word = refusalLine();
  const redraw = () => {
    word.say(undefined);
    fill(held, heldList(ways, t, word.say));
  };
  credentials.onChange(redraw);
  redraw();
  const dialog = h('dialog', { 'aria-labelledby': 'sign-in-title' });
  const done = () => {
    dialog.close();
    say(credentials.account === undefined ? t.credentialsTaken : t.tokenOf + credentials.account);
  };
  fill(
    dialog,
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', { id: 'sign-in-title' }, t.signIn),
      h('button', { type: 'button', class: 'small', onclick: () => dialog.close() }, t.close),
    ),
    h('p', { class: 'dim' }, t.signInIntro),
    held,
    word.element,
    sessionPart(t, done),
    h('p', { class: 'or' }, t.or),
    loginForm(t, done),
    h('p', { class: 'or' }, t.or),
    bySlot(ways).map(({ dialog: part }) => part?.(done)),
    [...ways.values()].map(({ intro }) => intro !== undefined && h('p', { class: 'hint' }, intro)),
  );
  return dialog;
};
