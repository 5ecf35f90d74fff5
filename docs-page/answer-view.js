import { copyButton, h } from './dom.js';
import { highlighted } from './highlight.js';

/** @typedef {import('./texts.js').Texts} Texts */

/** @param {string} text */
const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** The page shows the beginning of a long response. */
const maxShownLength = 100_000;

/** @param {Response} response @param {string} text @param {number} took @param {Texts} t */
export const answerView = (response, text, took, t) => {
  const size = new TextEncoder().encode(text).length.toLocaleString('en');
  const shown = pretty(text);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return [
    h(
      'p',
      { class: 'outcome' },
      h(
        'span',
        { class: response.ok || response.status === 304 ? 'badge good' : 'badge bad' },
        response.status,
      ),
      ` ${took.toFixed(0)} ${t.milliseconds} · ${size} ${t.bytes}`,
    ),
    h('details', {}, h('summary', {}, t.headers), h('pre', {}, headers)),
    h(
      'pre',
      { class: 'code answer', tabindex: '0', 'aria-label': t.response },
      text === '' ? t.emptyBody : highlighted(shown.slice(0, maxShownLength), 'json'),
      shown.length > maxShownLength && '\n…',
    ),
    copyButton(t, () => shown),
  ];
};
