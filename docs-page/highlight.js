import { h } from './dom.js';

/** Code with its parts distinguished: one expression a language, whose named groups are the classes; no markup anywhere. */

const words =
  'import|from|const|let|await|async|new|throw|return|if|else|export|type|with|as|def|print|for|in|of|true|false|null|undefined|None|True|False';

const script = String.raw`(?<comment>//[^\n]*)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|${'`'}(?:[^${'`'}\\]|\\.)*${'`'})|(?<number>\b\d[\d_.]*\b)|(?<keyword>\b(?:${words})\b)`;

/** @type {Record<string, string>} */
const languages = {
  json: String.raw`(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\b\d[\d.eE+-]*)|(?<keyword>\b(?:true|false|null)\b)`,
  curl: String.raw`(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<keyword>^\s*(?:curl|body|timestamp|signature)\b)|(?<key>--[a-z-]+)|(?<number>\$\w+)`,
  JavaScript: script,
  TypeScript: script,
  Python: script.replace('//', '#'),
};

/** Longer texts stay plain: they are read for their content. */
const maxLength = 60_000;

/** @param {string} text @param {string} language @returns {import('./dom.js').Child[]} */
export const highlighted = (text, language) => {
  const source = languages[language];
  if (source === undefined || text.length > maxLength) return [text];
  /** @type {import('./dom.js').Child[]} */
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(new RegExp(source, 'gm'))) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    parts.push(text.slice(end, match.index), h('span', { class: `code-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
};
