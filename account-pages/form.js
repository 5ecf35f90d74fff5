/** A form: fields with their errors beside them, a message, and a button. The service alone judges the values. */

import { h } from '../docs-page/dom.js';
import { texts } from './texts.js';

/** @typedef {{ name: string, label: string, type?: string, autocomplete?: string, hint?: string }} Field */
/** @typedef {import('./service.js').Outcome} Outcome */

/** An input with its label, hint and error. @param {Field} field @param {boolean} isFirst */
const inputOf = ({ name, label, type = 'text', autocomplete, hint }, isFirst) => {
  const input = h('input', {
    id: name,
    name,
    type,
    autocomplete,
    autofocus: isFirst,
    autocapitalize: 'none',
    spellcheck: 'false',
    'aria-describedby': `${name}-error${hint === undefined ? '' : ` ${name}-hint`}`,
  });
  const error = h('p', { class: 'wrong', id: `${name}-error`, hidden: true });
  /** @param {string | undefined} message */
  const refuse = (message) => {
    error.hidden = message === undefined;
    error.textContent = message ?? '';
    if (message === undefined) input.removeAttribute('aria-invalid');
    else input.setAttribute('aria-invalid', 'true');
  };
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: name }, label),
    input,
    error,
    hint === undefined ? null : h('p', { class: 'hint', id: `${name}-hint` }, hint),
  );
  return { name, input, element, refuse };
};

/** A box that shows the passwords of a form. @param {readonly HTMLInputElement[]} passwords */
const passwordBox = (passwords) => {
  if (passwords.length === 0) return null;
  const box = h('input', { type: 'checkbox' });
  box.addEventListener('change', () => {
    for (const input of passwords) input.type = box.checked ? 'text' : 'password';
  });
  return h('label', { class: 'check' }, box, texts.showPassword);
};

/** An element without a message, which a reader hears when it gets one. */
export const alertBox = () => h('p', { class: 'message', role: 'alert', hidden: true });

/** True while a form of this page has values that leaving would lose. */
let unsaved = false;
addEventListener('beforeunload', (event) => {
  if (unsaved) event.preventDefault();
});

/**
 * @param {{
 *   fields: readonly Field[],
 *   submit: string,
 *   account?: string,
 *   send: (values: { [name: string]: string }) => Promise<Outcome>,
 *   done: (outcome: Outcome) => void,
 * }} options `account`: for password managers; `done` is called with a success, and with a link that is over
 */
export const form = ({ fields, submit, account, send, done }) => {
  const alert = alertBox();
  const inputs = fields.map((field, index) => inputOf(field, index === 0));
  const button = h('button', { type: 'submit', class: 'primary' }, submit);

  /** @param {Outcome} outcome */
  const refuse = ({ message, errors }) => {
    for (const each of inputs) each.refuse(errors.find(({ field }) => field === each.name)?.message);
    const others = errors.filter(({ field }) => !inputs.some(({ name }) => name === field));
    const first = inputs.find(({ input }) => input.hasAttribute('aria-invalid'));
    const general = others.length > 0 ? others.map((each) => each.message).join(' ') : message;
    alert.hidden = first !== undefined && others.length === 0;
    alert.textContent = alert.hidden ? '' : general;
    (first?.input ?? button).focus();
  };

  const element = h(
    'form',
    {
      novalidate: true,
      oninput: () => {
        unsaved = inputs.some(({ input }) => input.value !== '');
      },
      onsubmit: async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        if (button.hasAttribute('aria-disabled')) return;
        button.setAttribute('aria-disabled', 'true');
        const values = inputs.map(({ name, input }) => [name, input.value]);
        const outcome = await send(Object.fromEntries(values.filter(([, value]) => value !== '')));
        button.removeAttribute('aria-disabled');
        if (![200, 201, 404, 410].includes(outcome.status)) return refuse(outcome);
        unsaved = false;
        done(outcome);
      },
    },
    alert,
    account === undefined
      ? null
      : h('input', { type: 'text', autocomplete: 'username', value: account, readonly: true, hidden: true }),
    inputs.map(({ element: each }) => each),
    passwordBox(inputs.map(({ input }) => input).filter(({ type }) => type === 'password')),
    button,
  );
  return element;
};
