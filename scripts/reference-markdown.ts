/** A text in a table's cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');

/** Code in a line of Markdown; an empty text stays empty. */
export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/** A page, with a line that names its source. */
export const page = (title: string, lead: string, body: string): string =>
  `# ${title}\n\n<!-- Written by npm run reference from the source. -->\n\n${lead}\n\n${body}\n`;

/** The first words of a page in a language. */
export interface PageWords {
  readonly title: string;
  readonly lead: string;
}
