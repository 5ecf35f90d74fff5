import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Rules of docs/contributing/glossary.md for English texts: documents, messages, pages, descriptions, help. No text
 * breaks one.
 */

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const tracked = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));

const documents = tracked('*.md').filter((file) => !file.endsWith('.zh-CN.md'));

const sources = tracked('src', 'admin/src', 'docs-page', 'account-pages', 'client').filter(
  (file) => /\.(?:ts|tsx|js)$/.test(file) && !file.endsWith('.test.ts'),
);

/** Cells of the glossary's tables, row by row. */
const glossary = (): readonly (readonly string[])[] =>
  read('docs/contributing/glossary.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const hasHan = /\p{Script=Han}/u;

/**
 * Words that the glossary rules out, each with its replacement: from the table of English words, and from the table of
 * terms.
 */
export const unwantedWords = (): ReadonlyMap<string, string> =>
  new Map(
    glossary().flatMap((cells) => {
      const [first = '', second = '', third = ''] = cells;
      if (cells.length === 2 && first !== 'not' && !first.startsWith('---')) return [[first, second]];
      if (cells.length !== 4 || third === 'not') return [];
      return third
        .split('、')
        .filter((word) => /^[a-z][a-z ]+$/.test(word))
        .map((word): [string, string] => [word, first]);
    }),
  );

/** The sentences of a document, without code, links' targets and headings; each cell of a table has its own. */
export const sentencesOf = (document: string): readonly string[] =>
  document
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/!?\[([^[\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`\n]+`/g, 'X')
    .split(/\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.|#|\|)(?:\s|$))/)
    // Words of others, by which the local search finds a page.
    .filter((block) => !/^\s*#|^Terms you may know:/.test(block))
    .flatMap((block) => (block.trimStart().startsWith('|') ? block.split('|') : [block]))
    .map((block) =>
      block
        .replace(/^\s*(?:[-*>]|\d+\.)\s+/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((block) => block.split(/(?<=[.!?:;])["”)*]*\s+(?=[A-Z`*“"X])/))
    .filter((sentence) => sentence !== '');

/** The texts of a source file that people read: literals of several words that are no SQL and no Chinese. */
const literalsOf = (source: string): readonly string[] =>
  [...source.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '').matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, single, template]) =>
      (single ?? template ?? '')
        .replaceAll(/\\`[^`]*\\`|`[^`]*`|\$\{[^{}]*\}/g, 'X')
        .replaceAll(/\\n/g, '\n'),
    )
    .filter(
      (text) =>
        /^[A-Z{]/.test(text) &&
        /\b[a-z]{3,}\b/.test(text) &&
        text.split(' ').length > 3 &&
        !hasHan.test(text),
    )
    .flatMap((text) => text.split(/\n|(?<=[.!?:;])\s+(?=[A-Z])/));

/** Words of a sentence; code counts as none. */
const wordsIn = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /\p{L}{2}|^[aAI]$|^\p{N}/u.test(word)).length;

/** The longest sentence, in words. The rule for writers is 25; longer ones are lists, mostly. */
const mostWords = 40;

export const rules: Readonly<Record<string, (sentence: string) => boolean>> = {
  'a word that the glossary rules out': (sentence) => [...unwanted].some((word) => word.test(sentence)),
  'a statement that begins with What or Who': (sentence) =>
    /^(?:\*\*)?(?:What|Who|Whoever|Whose|Whatever)\b/.test(sentence) && !/\?[*”")]*$/.test(sentence),
  'a sentence of more than 40 words': (sentence) => wordsIn(sentence) > mostWords,
};

const unwanted = [...unwantedWords().keys()].map((word) => new RegExp(`\\b${word}\\b`, 'i'));

/** Pages that name the words in order to rule them out. */
const naming = new Set(['docs/contributing/glossary.md', 'docs/contributing/glossary-code.md']);

const texts = [
  ...documents.map((file) => ({ file, sentences: sentencesOf(read(file)) })),
  ...sources.map((file) => ({ file, sentences: literalsOf(read(file)) })),
].filter(({ file }) => !naming.has(file));

/** Every sentence that breaks a rule, behind the name of its file. */
export const sentencesThatBreak = (rule: string): readonly string[] =>
  texts.flatMap(({ file, sentences }) =>
    sentences.filter((sentence) => rules[rule]?.(sentence)).map((sentence) => `${file}: ${sentence}`),
  );
