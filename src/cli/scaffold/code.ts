/** TypeScript as a formatter would write it: on one line if it fits, otherwise one entry per line. */

export type Code =
  | string
  | { readonly call: string; readonly of: readonly Code[] }
  | { readonly list: readonly Code[] }
  | { readonly object: readonly Entry[]; readonly open?: boolean };

export interface Entry {
  readonly key: string;
  readonly value: Code;
  /** Comment lines above the entry. */
  readonly comment?: readonly string[];
}

/** Maximum length of a line. */
const width = 110;

/** A text as a literal, in the quotes that need fewer escapes. */
export const textCode = (text: string): string => {
  const escaped = JSON.stringify(text).slice(1, -1);
  return text.includes("'") && !text.includes('"')
    ? `"${escaped}"`
    : `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
};

const keyCode = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : textCode(key));

/** A JSON value as code. */
export const valueCode = (value: unknown): Code => {
  if (typeof value === 'string') return textCode(value);
  if (Array.isArray(value)) return { list: value.map(valueCode) };
  if (typeof value === 'object' && value !== null)
    return { object: Object.entries(value).map(([key, each]) => ({ key, value: valueCode(each) })) };
  return String(value);
};

/** The code on one line; undefined if it needs several. */
const flat = (code: Code): string | undefined => {
  if (typeof code === 'string') return code;
  if ('call' in code) {
    const parts = code.of.map(flat);
    return parts.includes(undefined) ? undefined : `${code.call}(${parts.join(', ')})`;
  }
  if ('list' in code) {
    const parts = code.list.map(flat);
    return parts.includes(undefined) ? undefined : `[${parts.join(', ')}]`;
  }
  if (code.object.length === 0) return '{}';
  if (code.open === true || code.object.some(({ comment }) => comment !== undefined)) return undefined;
  const entries = code.object.map(({ key, value }) => {
    const text = flat(value);
    return text === undefined ? undefined : `${keyCode(key)}: ${text}`;
  });
  return entries.includes(undefined) ? undefined : `{ ${entries.join(', ')} }`;
};

const block = (open: string, lines: readonly string[], indent: string, close: string): string =>
  `${open}\n${lines.join('\n')}\n${indent}${close}`;

const objectText = (entries: readonly Entry[], indent: string): string => {
  const inner = `${indent}  `;
  const lines = entries.flatMap(({ key, value, comment = [] }) => [
    ...comment.map((line) => `${inner}// ${line}`),
    `${inner}${print(value, inner, `${keyCode(key)}: `, ',')}`,
  ]);
  return block('{', lines, indent, '}');
};

const isBlock = (code: Code): boolean => typeof code !== 'string' && !('call' in code);

const callText = (call: string, of: readonly Code[], indent: string): string => {
  const last = of.at(-1);
  const before = of.slice(0, -1).map(flat);
  // The last object or list opens on the line of the call if the other arguments fit.
  if (last !== undefined && isBlock(last) && !before.includes(undefined)) {
    const head = `${call}(${before.map((text) => `${text}, `).join('')}`;
    return `${head}${print(last, indent, '', '', true)})`;
  }
  const inner = `${indent}  `;
  return block(
    `${call}(`,
    of.map((each) => `${inner}${print(each, inner, '', ',')}`),
    indent,
    ')',
  );
};

/** The code after `before`, broken into lines if it does not fit between `indent` and the margin. */
const print = (code: Code, indent: string, before: string, after: string, broken = false): string => {
  const line = flat(code);
  const fits = line !== undefined && indent.length + before.length + line.length + after.length <= width;
  if (typeof code === 'string' || (fits && !broken)) return before + (line ?? '') + after;
  if ('call' in code) return before + callText(code.call, code.of, indent) + after;
  if ('object' in code) return before + objectText(code.object, indent) + after;
  const inner = `${indent}  `;
  const items = code.list.map((each) => `${inner}${print(each, inner, '', ',')}`);
  return before + block('[', items, indent, ']') + after;
};

/** A statement with text before and after it, indented by so many blanks. */
export const statementText = (code: Code, { indent = 0, before = '', after = ';' } = {}): string => {
  const margin = ' '.repeat(indent);
  return margin + print(code, margin, before, after);
};
