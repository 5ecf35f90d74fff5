import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The title of a test is a sentence by itself: a red line says what broke, without the `describe` around it. */

const root = fileURLToPath(new URL('../..', import.meta.url));

const files = globSync(['src/**/*.test.ts', 'tests/**/*.test.ts'], { cwd: root }).map((file) =>
  file.replaceAll('\\', '/'),
);

/** Words that only go on with a sentence which a `describe` has begun. */
const continuing = new Set(
  [
    'of in to for with by from at on within without under between beside behind before after during until',
    'and but or nor that which who whom whose',
    'is are was were has have may can cannot must will',
  ].flatMap((words) => words.split(' ')),
);

const modifiers = new Set(['each', 'for', 'skipIf', 'runIf', 'fails', 'concurrent', 'skip', 'only']);

/** True for `it`, `it.each(…)`, `it.skipIf(…)` and the like: what is called with a title. */
const isTestFunction = (node: ts.Expression): boolean => {
  if (ts.isIdentifier(node)) return node.text === 'it';
  if (ts.isPropertyAccessExpression(node))
    return modifiers.has(node.name.text) && isTestFunction(node.expression);
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    isTestFunction(node.expression)
  );
};

/** The titles of the tests of a file: what `it(…)` and `it.each(…)(…)` get as their first argument. */
const titlesIn = (text: string): readonly string[] => {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTestFunction(node.expression)) {
      const [first] = node.arguments;
      if (first !== undefined && (ts.isStringLiteralLike(first) || ts.isTemplateExpression(first)))
        titles.push(first.getText(file).slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return titles;
};

/** A value that a row of `it.each` puts into the title. */
const placeholder = /%[a-z#]|\$/;

/** True if the title is half a sentence: it goes on with another text, or names a thing and says nothing of it. */
const isHalf = (title: string): boolean => {
  const words = title.split(/\s+/);
  if (continuing.has(words[0] ?? '')) return true;
  return words.length < 3 && !placeholder.test(title);
};

describe('titles of tests', () => {
  it('every title is a sentence without its describe', () => {
    const titles = files.flatMap((file) =>
      titlesIn(readFileSync(`${root}${file}`, 'utf8')).map((title) => ({ file, title })),
    );
    expect(titles.length).toBeGreaterThan(3_000);
    expect(titles.filter(({ title }) => isHalf(title))).toEqual([]);
  });

  it('the check finds half a sentence', () => {
    const text = `
      it('of a token without exp', () => {});
      it.each([1])('is refused with %i', () => {});
      it('refuses a token without exp', () => {});
      describe('of no test', () => it.skipIf(true)('refill', () => {}));`;
    expect(titlesIn(text).filter(isHalf)).toEqual(['of a token without exp', 'is refused with %i', 'refill']);
  });
});
