import { parseSigned } from './credentials.js';
import { copyButton, h, labelled } from './dom.js';
import { now } from './request.js';
import { signCommand } from './snippets.js';

/**
 * @typedef {import('./request.js').Form} Form
 * @typedef {import('./texts.js').Texts} Texts
 * @typedef {import('./try-view.js').Context} Context
 */

/** What is wrong with pasted headers, or that nothing is. @param {Form} form @param {Texts} t */
const signedWord = ({ signed, timestamp }, t) => {
  const headers = parseSigned(signed);
  if (signed.trim() === '') return '';
  if (headers === undefined) return t.headersWrong;
  if (Math.abs(Number(headers.timestamp) - Number(now())) > 300) return t.headersStale;
  return headers.timestamp === timestamp ? t.headersUnderstood : t.headersOld;
};

/**
 * How to sign this request elsewhere, and the place for the headers. The message is what the form says at this moment.
 * @param {Context} context
 */
export const signing = (context) => {
  const { operation, form, t } = context;
  const body = () => (operation.body === undefined ? '' : form.body);
  const message = h('pre', { class: 'message' });
  const command = h('pre', { class: 'command' });
  const word = h('p', { class: 'hint', role: 'status' });
  const stamp = h('input', { inputmode: 'numeric', value: form.timestamp });
  const update = () => {
    message.textContent = `${form.timestamp}\n${body()}`;
    command.textContent = signCommand(form.appId, form.timestamp, body());
    word.textContent = signedWord(form, t);
  };
  /** @param {'appId' | 'timestamp' | 'signed'} name */
  const set = (name) => (/** @type {any} */ event) => {
    form[name] = name === 'signed' ? event.target.value : event.target.value.trim();
    update();
  };
  stamp.addEventListener('input', set('timestamp'));
  const renew = () => {
    form.timestamp = now();
    stamp.value = form.timestamp;
    update();
  };
  const paste = h('textarea', {
    rows: '3',
    spellcheck: 'false',
    autocomplete: 'off',
    oninput: set('signed'),
    placeholder: 'X-App-Id: …\nX-Timestamp: …\nX-Signature: …',
  });
  paste.value = form.signed;
  update();
  const element = h(
    'fieldset',
    { class: 'signing' },
    h('legend', {}, t.signing),
    labelled(
      t.appId,
      h('input', { value: form.appId, oninput: set('appId'), autocomplete: 'off', spellcheck: 'false' }),
    ),
    h(
      'div',
      { class: 'beside' },
      labelled(t.timestamp, stamp),
      h('button', { type: 'button', class: 'small', onclick: renew }, t.renew),
    ),
    h('h3', {}, t.toSign),
    message,
    copyButton(t, () => message.textContent ?? ''),
    h('h3', {}, t.signWith),
    command,
    copyButton(t, () => command.textContent ?? ''),
    labelled(t.pasteHeaders, paste),
    word,
  );
  return { element, update };
};
