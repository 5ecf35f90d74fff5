import { h } from './dom.js';
import { icon } from './icons.js';

/** Places of the page: `#/operation` and `#/operation/part`, where a part is `body.order.title` or `error.42200`. */

/** @typedef {{ operation: string, part: string }} Place */

/** @returns {Place} */
export const placeOf = () => {
  const [, operation = '', ...rest] = location.hash.replace(/^#(?!\/)/, '#/').split('/');
  try {
    return { operation: decodeURIComponent(operation), part: decodeURIComponent(rest.join('/')) };
  } catch {
    return { operation, part: rest.join('/') };
  }
};

/** @param {string} operation @param {string} [part] */
export const addressOf = (operation, part = '') =>
  `#/${encodeURIComponent(operation)}${part === '' ? '' : `/${encodeURIComponent(part)}`}`;

/** `data[].lines[].id` as a part of an address: `data.lines.id`. @param {string} path */
export const plainPath = (path) => path.replaceAll('[]', '').replace(/^\./, '');

/** Goes to a part and takes its address along. @param {Place} place @param {string} label @param {{ copyLink: string, copied: string, colon: string }} t */
export const linkTo = ({ operation, part }, label, t) => {
  const link = h(
    'a',
    { class: 'anchor', href: addressOf(operation, part), title: t.copyLink },
    icon('link', 16),
    h('span', { class: 'unseen' }, `${t.copyLink}${t.colon}${label}`),
  );
  link.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(link.href);
      link.title = t.copied;
      link.classList.add('copied');
      setTimeout(() => link.classList.remove('copied'), 1200);
    } catch {
      // Without permission, or a secure context, the address is in the address bar.
    }
  });
  return link;
};

/** How many letters differ, as far as it matters. @param {string} one @param {string} other */
const distance = (one, other) => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 1; index <= one.length; index += 1) {
    const next = [index];
    for (let column = 1; column <= other.length; column += 1)
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (one[index - 1] === other[column - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** The names that are most like one that there is not. @param {string} asked @param {readonly string[]} names */
export const nearest = (asked, names) => {
  const wanted = asked.toLowerCase().slice(0, 80);
  const last = wanted.split('.').at(-1) ?? '';
  /** @param {string} name */
  const cost = (name) => {
    const text = name.toLowerCase().slice(0, 80);
    if (text.includes(wanted) || wanted.includes(text)) return 0;
    const same = text.split('.').at(-1) === last ? 0.5 : 1;
    return (same * distance(wanted, text)) / Math.max(wanted.length, text.length, 1);
  };
  return [...new Set(names)]
    .map((name) => ({ name, cost: cost(name) }))
    .sort((one, other) => one.cost - other.cost)
    .filter((each) => each.cost < 0.75)
    .slice(0, 4)
    .map(({ name }) => name);
};
