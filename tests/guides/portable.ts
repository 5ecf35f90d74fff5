/** Features that a reader's shell may lack, each with the pattern that finds it in a command. */
const unportable: readonly (readonly [string, RegExp])[] = [
  [
    'an option of curl newer than 7.76',
    /\bcurl\b[^|;]*\s--(?:json|url-query|variable|expand-\w+|rate|no-clobber|remove-on-error|ech|ip-tos|skip-existing)\b/,
  ],
  ['a variable of curl newer than 7.76', /%\{(?:header_json|certs|exitcode|errormsg|time\{|output)/],
  ['sed -i', /\bsed\b[^|;]*\s(?:-[a-zA-Z]*i|--in-place)/],
  ['an option of GNU sed', /\bsed\b[^|;]*\s(?:-[a-zA-Z]*[rsz]\b|--[a-z])/],
  ['a regular expression of GNU sed or grep', /\b(?:sed|grep)\b[^|;]*\\[+?|wsbWSB<>]/],
  ['an option of GNU grep', /\bgrep\b[^|;]*\s-[a-zA-Z]*P/],
  ['an option of GNU date', /\bdate\b[^|;)]*\s(?:-[a-zA-Z]*[dI]\b|--|\+[^\s)]*%N)/],
  ['an option of GNU stat', /\bstat\b[^|;]*\s(?:-[a-zA-Z]*c\b|--)/],
  [
    'another option of the GNU tools',
    /\b(?:base64\s+-w|xargs\s+-[rd]\b|head\s+-[nc]\s*-|sort\s[^|;]*-V|readlink\s+-f|mktemp\s+--|ls\s+--|cp\s+--)/,
  ],
  [
    'a program that is not everywhere',
    /(?:^|[|;&(]\s*)(?:timeout|tac|nproc|sha256sum|realpath|jq|wget|watch)\s/,
  ],
  ['a Node that may be older than the page needs', /(?<!npx )\bnode\s+(?:-\S+\s+)*[\w./-]+\.ts\b/],
  ['a loop without a limit', /(?:^|[|;&({]\s*)(?:until|while)\b/],
];

/** The lines of a block, those that go on joined, without comments. */
const linesOf = (block: string): readonly string[] =>
  block
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/^#.*$/gm, '')
    .split('\n');

/** Returns the parts of a block that need a newer curl, GNU tools or another Node, or may never end. */
export const unportableIn = (block: string): readonly string[] =>
  linesOf(block).flatMap((line) =>
    unportable.filter(([, form]) => form.test(line)).map(([name]) => `${name}: ${line.trim()}`),
  );
