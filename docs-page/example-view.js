import { exampleOf } from './description.js';
import { copyButton, fill, h } from './dom.js';
import { highlighted } from './highlight.js';
import { linkTo } from './places.js';

/** Examples of responses, one of each kind, beside the tables of their fields. */

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./texts.js').Texts} Texts
 * @typedef {{ part: string, label: string, status: number, text: string }} Example
 */

/** @param {Operation} operation @param {Description} description @returns {Example[]} */
const successes = ({ replies }, description) =>
  replies.flatMap((reply) => {
    const { status, schema, media } = reply;
    if (status >= 400 || schema === undefined || media !== 'application/json') return [];
    const text = JSON.stringify(exampleOf(reply, description), null, 2);
    return [{ part: `example.${status}`, label: String(status), status, text }];
  });

/** @param {Operation} operation @returns {Example[]} */
const failures = ({ replies }) =>
  replies.flatMap(({ status, refusals }) =>
    refusals.map(({ code, answer }) => ({
      part: `example.${code}`,
      label: String(code),
      status,
      text: JSON.stringify(answer, null, 2),
    })),
  );

/**
 * The examples of an operation, one shown at a time; `show` turns to another one.
 * @param {Operation} operation @param {Description} description @param {Texts} t
 */
export const exampleView = (operation, description, t) => {
  const good = successes(operation, description);
  const bad = failures(operation);
  const all = [...good, ...bad];
  const code = h('pre', { class: 'code', tabindex: '0', 'aria-label': t.example });
  const status = h('span', { class: 'badge' });
  const place = h('span', {});
  let shown = all[0];
  const choose = h(
    'select',
    { 'aria-label': t.example, oninput: (/** @type {any} */ event) => show(event.target.value) },
    all.map(({ part, label }) => h('option', { value: part }, label)),
  );
  /** @param {string} part */
  const show = (part) => {
    // By status too: `example.422` is the first of that status.
    const found =
      all.find((each) => each.part === part) ?? all.find((each) => part === `example.${each.status}`);
    if (found === undefined) return false;
    shown = found;
    choose.value = found.part;
    status.textContent = String(found.status);
    status.className = found.status < 400 ? 'badge good' : 'badge bad';
    fill(code, highlighted(found.text, 'json'));
    fill(place, linkTo({ operation: operation.id, part: found.part }, found.label, t));
    return true;
  };
  if (shown !== undefined) show(shown.part);
  const element = h(
    'section',
    { class: 'card example', 'data-part': 'example', tabindex: '-1', 'aria-label': t.example },
    h(
      'div',
      { class: 'card-head' },
      h('h3', {}, t.example),
      status,
      place,
      h('span', { class: 'push' }),
      choose,
      copyButton(t, () => shown?.text ?? ''),
    ),
    code,
  );
  return { element: all.length === 0 ? null : element, show };
};
