/** Elements built from texts and elements only: nothing is ever parsed as HTML. */

/** @typedef {Node | string | number | null | undefined | false | readonly unknown[]} Child */
/** @typedef {{ [name: string]: string | number | boolean | null | undefined | ((event: any) => void) }} Attributes */

/** @param {Element} parent @param {Child} child */
const append = (parent, child) => {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) {
    for (const each of child) append(parent, /** @type {Child} */ (each));
    return;
  }
  parent.append(child instanceof Node ? child : String(child));
};

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] functions are listeners: `onclick`
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
};

/** @param {Element} element @param {...Child} children */
export const fill = (element, ...children) => {
  element.replaceChildren();
  append(element, children);
};

let ids = 0;

/** An input with its label. @param {string} text @param {HTMLElement} control @param {Child} [hint] */
export const labelled = (text, control, hint) => {
  ids += 1;
  if (control.id === '') control.id = `field-${ids}`;
  return h(
    'div',
    { class: 'field' },
    h('label', { for: control.id }, text),
    control,
    hint && h('p', { class: 'hint' }, hint),
  );
};

/** @param {{ copy: string, copied: string }} texts @param {() => string} content */
export const copyButton = (texts, content) => {
  const button = h('button', { type: 'button', class: 'small' }, texts.copy);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(content());
      button.textContent = texts.copied;
    } catch {
      // Without permission, or a secure context, the reader can select the text.
      return;
    }
    setTimeout(() => {
      button.textContent = texts.copy;
    }, 1500);
  });
  return button;
};

/** A name or a sentence with names, which may go on in the next line behind what joins their words. @param {string} text */
export const breakable = (text) =>
  text.split(/(?<=\w[._/])(?=\w)/).map((part, index) => (index > 0 ? [h('wbr'), part] : part));

/** `code` in backticks of a text becomes an element. @param {string} text */
export const inline = (text) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part));

/** Blank lines part paragraphs. @param {string} text */
export const prose = (text) => text.split(/\n{2,}/).map((paragraph) => h('p', {}, inline(paragraph)));
