/** A fenced block of a Markdown file. */
export interface Block {
  /** The text behind the opening fence. `bash` is executed, `sh` only shown. */
  readonly language: string;
  readonly text: string;
  /** An instruction for the test in a comment of the line above, which readers do not see: `<!-- test: background -->`. */
  readonly note: string | undefined;
  /** Name of the file, where the first line is a comment with nothing but it: `resources/order.ts`. */
  readonly file: string | undefined;
  /** True if the first line says that this is only a part of the file: `From resources/order.ts`. */
  readonly isExcerpt: boolean;
}

/** A command of a page and what it prints; undefined where the page shows no output. */
export interface Step {
  readonly command: string;
  readonly note: string | undefined;
  readonly output: string | undefined;
  /** The file that a reader writes instead: `command` is its text. */
  readonly file?: string;
}

const fence = /(?:^<!-- test: ([^\n]*) -->\n\n?)?^```(\w*)\n(.*?)^```$/gms;

export const blocksOf = (markdown: string): readonly Block[] =>
  [...markdown.matchAll(fence)].map(([, note, language = '', text = '']) => {
    const [, from, file] = /^(?:\/\/|#) (From )?([\w./-]+\.\w+)\n/.exec(text) ?? [];
    return { language, text, note, file, isExcerpt: from !== undefined };
  });

/** Every `bash` block with the `text` block behind it. */
export const stepsOf = (blocks: readonly Block[]): readonly Step[] =>
  blocks.flatMap(({ language, text: command, note }, index) => {
    if (language !== 'bash') return [];
    const next = blocks[index + 1];
    return [{ command, note, output: next?.language === 'text' ? next.text : undefined }];
  });

/** Rows of a table, without its head, as the trimmed texts of their cells. */
export const tableUnder = (markdown: string, head: RegExp): readonly (readonly string[])[] => {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => head.test(line));
  const after = lines.slice(start + 2);
  const end = after.findIndex((line) => !line.startsWith('|'));
  return after.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
};

/** The text with names in place of values that differ from run to run. */
export const normalised = (text: string): string =>
  text
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<64 hex digits>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<address>')
    .replaceAll(/(X-Timestamp: )\d+/g, '$1<seconds>')
    .replaceAll(/(with the password )\S+/g, '$1<password>')
    .trim();
