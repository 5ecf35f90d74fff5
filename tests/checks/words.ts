import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const files =
  '{src,client,admin/src,docs-page,account-pages,bench,examples,evals,scripts,tests}/**/*.{ts,tsx,js}';

/**
 * Words that the code does without (docs/contributing/glossary-code.md), counted for each folder. The counts of words.json
 * are the most that a folder may hold. Run this file after a folder has become plainer: it lowers them.
 */

/** Each rule with the form that breaks it: in code and comments alike, or in comments only. */
const rules = [
  { name: 'told', inComments: false, form: /(?:(?<![A-Za-z])told|Told)(?![a-z])/g },
  {
    name: 'nobody',
    inComments: false,
    form: /(?:(?<![A-Za-z'"_])nobodys?(?!['"]?:| nogroup)|(?<!['"])Nobodys?)(?![a-z])/g,
  },
  { name: 'whoever', inComments: false, form: /(?:(?<![A-Za-z])whoever|Whoever)(?![a-z])/g },
  { name: 'audit list', inComments: true, form: /\baudit list\b/gi },
  { name: 'anew', inComments: false, form: /(?:(?<![A-Za-z])anew|Anew)(?![a-z])/g },
  { name: 'together', inComments: false, form: /(?:(?<![A-Za-z])together|Together)(?![a-z]| with)/g },
  { name: 'patience', inComments: false, form: /(?:(?<![A-Za-z])patience|Patience)(?![a-z])/g },
  {
    name: 'destructured constants',
    inComments: false,
    form: /^(?:export )?const \[\w+(?:, \w+)+\] = \[\s*(?=[-\d'"`])/gm,
  },
  { name: 'answers for returns', inComments: true, form: /\banswers\b/gi },
  {
    name: 'a sentence that begins with What or Who',
    inComments: true,
    form: /(?:^|[.!?]\s+)(?:What|Who)\b/g,
  },
] as const;

const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*(?:\n\s*\/\/.*)*/g;

/** The comments of a file, each as one line of text. */
const commentsOf = (text: string): readonly string[] =>
  [...text.matchAll(comment)].map(([found]) =>
    found
      .replaceAll(/^\/\*+|\*\/$|^\s*(?:\*|\/\/)\s?|^\/\/\s?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

/** `src/app` of `src/app/start.ts`; the first folder of all others. Tests beside the source count as one folder. */
const folderOf = (file: string): string => {
  const [first = '', second = ''] = file.split('/');
  if (first !== 'tests' && file.endsWith('.test.ts')) return `tests of ${first}`;
  return first === 'src' && !second.includes('.') ? `src/${second}` : first;
};

export type WordCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Files that name the words without using them, and code of other projects. */
const isExempt = (file: string): boolean =>
  /^(?:tests\/checks\/(?:words|english)|scripts\/house\.ts)/.test(file) ||
  file.startsWith('bench/peers/') ||
  file.includes('/node_modules/');

/** The number of times that each rule is broken in each folder. */
export const countWords = (): WordCounts => {
  const counts: Record<string, Record<string, number>> = {};
  for (const path of globSync(files, { cwd: root }).sort()) {
    const file = path.replaceAll('\\', '/');
    if (isExempt(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    const comments = commentsOf(text);
    const folder = counts[folderOf(file)] ?? {};
    counts[folderOf(file)] = folder;
    for (const { name, inComments, form } of rules) {
      const found = (inComments ? comments : [text]).reduce(
        (sum, each) => sum + [...each.matchAll(form)].length,
        0,
      );
      if (found > 0) folder[name] = (folder[name] ?? 0) + found;
    }
  }
  return counts;
};

const ceilingsFile = join(root, 'tests/checks/words.json');

export const readCeilings = (): WordCounts => JSON.parse(readFileSync(ceilingsFile, 'utf8'));

/** Writes the counts as they are now where they are below the ceilings. */
const lowerCeilings = (): void => {
  const ceilings = readCeilings();
  const lowered = Object.entries(countWords()).map(([folder, counts]) => [
    folder,
    Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, Math.min(count, ceilings[folder]?.[name] ?? 0)]),
    ),
  ]);
  writeFileSync(ceilingsFile, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
};

if (import.meta.main) lowerCeilings();
