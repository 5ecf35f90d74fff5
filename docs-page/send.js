import { answerView } from './answer-view.js';
import { credentials, loginSlot } from './credentials.js';
import { fill, h } from './dom.js';
import { forgetOwn } from './own-records.js';
import { ask, failureText } from './reach.js';
import { missing, requestOf } from './request.js';

/**
 * @typedef {import('./texts.js').Texts} Texts
 * @typedef {import('./ways.js').Ways} Ways
 * @typedef {{ operation: import('./description.js').Operation, form: import('./request.js').Form, ways: Ways, t: Texts }} Sent
 */

/** The way whose credentials an operation hands out. @param {Sent} sent */
const signsIn = ({ operation, ways }) =>
  [...ways.values()].find(({ signIn }) => signIn?.operation === operation.id);

/** A token from the login and a session from the sign-in are good for the rest of the page. @param {Sent} sent @param {string} text */
const keepCredentials = (sent, text) => {
  const way = signsIn(sent);
  if (way !== undefined) way.signIn?.keep(JSON.parse(text).data);
  if (sent.operation.id !== 'login') return;
  const { data } = JSON.parse(text);
  credentials.set(loginSlot, data.token, data.user.username);
};

/** @param {Sent} sent @param {AbortSignal} signal */
const request = async (sent, signal) => {
  const { operation, form, ways } = sent;
  const way = ways.get(form.method ?? '');
  const made = requestOf(operation, form);
  const { method, url, headers, body } = made;
  await credentials.fresh(way?.slot);
  return ask(url, {
    method,
    headers: { ...headers, ...(await way?.headers(form, made)) },
    ...(body === undefined ? {} : { body }),
    cache: 'no-store',
    credentials: way?.credentials ?? signsIn(sent)?.credentials ?? 'omit',
    signal,
  });
};

/** The answer as it comes, until it ends or is given up. @param {Response} response @param {(text: string) => void} tell */
const readStream = async (response, tell) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    text += part.value;
    tell(text);
  }
};

/** @param {Response} response */
const isStream = ({ headers }) => headers.get('content-type')?.startsWith('text/event-stream') === true;

/**
 * Sends the form of an operation, one request at a time: another ends the one before.
 * @param {HTMLElement} outcome where it is said what became of it
 */
export const sender = (outcome) => {
  /** @type {AbortController | undefined} */
  let current;
  /** @param {Sent} sent */
  return async (sent) => {
    const { operation, form, t } = sent;
    const lacking = missing(operation, form);
    if (lacking.length > 0)
      return fill(outcome, h('p', { class: 'notice' }, t.missing + lacking.join(t.comma)));
    current?.abort();
    const controller = new AbortController();
    current = controller;
    /** @param {string} text @param {string} stop */
    const waiting = (text, stop) =>
      h(
        'p',
        { class: 'dim' },
        `${text} `,
        h('button', { type: 'button', class: 'small', onclick: () => controller.abort() }, stop),
      );
    /** Shows the result of the latest request only. @param {...import('./dom.js').Child} shown */
    const say = (...shown) => current === controller && fill(outcome, ...shown);
    const begun = performance.now();
    const took = () => performance.now() - begun;
    /** @type {unknown[] | undefined} */
    let received;
    say(waiting(t.sending, t.cancel));
    try {
      const response = await request(sent, controller.signal);
      if (isStream(response)) {
        const tell = (/** @type {string} */ text) => {
          received = answerView(response, text, took(), t);
          say(waiting(t.receiving, t.stopReceiving), received);
        };
        tell('');
        await readStream(response, tell);
        return say(received);
      }
      const text = await response.text();
      if (operation.method !== 'GET') forgetOwn();
      if (response.ok) keepCredentials(sent, text);
      say(answerView(response, text, took(), t));
    } catch (error) {
      const said = controller.signal.aborted ? t.cancelled : failureText(error, t);
      const notice = h('p', { class: 'notice' }, said);
      if (received === undefined) say(notice);
      else say(!controller.signal.aborted && notice, received);
    }
  };
};
