import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { joinModules, joinSheets } from './joined.ts';

const files = (contents: Readonly<Record<string, string>>) => new Map(Object.entries(contents));

/** The exports of a joined module once it ran. */
const run = (source: string): Promise<Record<string, unknown>> =>
  import(`data:text/javascript,${encodeURIComponent(source)}`);

describe('modules in one file', () => {
  it('modules in one file run once each, before their importers, in scopes of their own', async () => {
    const joined = joinModules(
      'main.js',
      files({
        'main.js': [
          "import { left } from './left.js';",
          "import { right, say } from './right.js';",
          "const name = 'main';",
          'export const said = say(name, left, right);',
          '',
        ].join('\n'),
        'left.js':
          "import { take } from './count.js';\nconst name = 'left';\nexport const left = name + take();\n",
        'right.js': [
          "import { take } from './count.js';",
          "const name = 'right';",
          '/** Said by a comment. */',
          'export const say = (...words) => [...words, name];',
          'export const right = take();',
          '',
        ].join('\n'),
        'count.js': 'let taken = 0;\nexport const take = () => (taken += 1);\n',
      }),
    );
    expect((await run(joined))['said']).toEqual(['main', 'left1', 2, 'right']);
    expect(joined).not.toContain('Said by a comment');
  });

  it('modules in one file leave a type before an expression, and what stands behind it', async () => {
    const source = [
      '/** @type {number[]} */ const all = [1];',
      '/** @param {number} more */',
      'export const add = (more) => /** @type {number} */ (all[0]) + more;',
      '',
    ].join('\n');
    const { add } = await run(joinModules('main.js', files({ 'main.js': source })));
    expect((add as (more: number) => number)(2)).toBe(3);
  });

  it('modules in one file import what stays apart', () => {
    const joined = joinModules(
      'main.js',
      files({
        'main.js':
          "import { early } from './early.js';\nimport { late } from './late.js';\nexport const all = [early, late];\n",
        'late.js': "import { early } from './early.js';\nexport const late = early;\n",
        'early.js': 'export const early = 1;\n',
      }),
      ['early.js'],
    );
    expect(joined.match(/^import .*/gm)).toEqual(["import * as apart0 from './early.js';"]);
    expect(joined).not.toContain('early = 1');
  });

  it.each([
    ['a default export', { 'main.js': 'export default 1;\n' }, 'main.js cannot be joined: export default 1;'],
    ['a function', { 'main.js': 'export function f() {}\n' }, 'cannot be joined'],
    ['what is renamed', { 'main.js': "import { a as b } from 'a';\n" }, 'cannot be joined'],
    ['what is not there', { 'main.js': "import { a } from './a.js';\n" }, 'there is no a.js'],
    [
      'a circle',
      { 'main.js': "import { a } from './a.js';\n", 'a.js': "import { b } from './main.js';\n" },
      'modules import each other: main.js, a.js, main.js',
    ],
  ])('modules in one file refuse %s', (_what, contents, reason) => {
    expect(() => joinModules('main.js', files(contents))).toThrow(reason);
  });
});

describe('style sheets in one file', () => {
  it('style sheets in one file stand in the places where they are imported, for their medium', () => {
    const joined = joinSheets(
      'page.css',
      files({
        'page.css': '@import "./base.css";\n@import "./print.css" print;\n',
        'base.css': 'a {\n}\n',
        'print.css': 'b {\n}\n',
      }),
    );
    expect(joined).toBe('a {\n}\n\n@media print {\nb {\n}\n}\n\n');
  });

  it('style sheets in one file are all of the page', () => {
    const folder = new URL('../../../docs-page/', import.meta.url);
    const names = readdirSync(folder).filter((name) => name.endsWith('.css'));
    const page = readFileSync(new URL('page.css', folder), 'utf8');
    expect([...page.matchAll(/"\.\/(.+)"/g)].map(([, name]) => name).sort()).toEqual(
      names.filter((name) => name !== 'page.css').sort(),
    );
    const joined = joinSheets(
      'page.css',
      new Map(names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')])),
    );
    expect(joined).not.toContain('@import');
  });
});
