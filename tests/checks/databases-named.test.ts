import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** Files that name a database to people, or reserve its names, and why. None of them may decide by one. */
const allowed: Readonly<Record<string, string>> = {
  'model/names.ts':
    'names that each of the databases keeps for itself are no names of fields or tables on any',
  'model/scope.ts': 'the type of the name, for code of an application',
  'app/known-fixes.ts': 'the table of versions with known security fixes',
  'app/variables.ts': 'documentation of the variables',
  'cli/commands/adopt.ts': 'an example in --help',
  'cli/commands/backup.ts': 'examples in --help',
  'cli/commands/restore.ts': 'examples in --help',
  'cli/commands/start.ts': 'an example in --help',
  'cli/commands/move.ts': 'examples in --help',
  'cli/scaffold/application-files.ts': 'the README of a new application',
  'vault/lock.ts': 'node:sqlite as a lock of the file system, whatever database the service has',
};

const database = /sqlite|postgres/i;

const isComparison = ({ kind }: ts.Node): boolean =>
  kind === ts.SyntaxKind.EqualsEqualsEqualsToken ||
  kind === ts.SyntaxKind.ExclamationEqualsEqualsToken ||
  kind === ts.SyntaxKind.EqualsEqualsToken ||
  kind === ts.SyntaxKind.ExclamationEqualsToken;

/** `dialect`, `database.dialect`, `dialect.name`, `dialectOf(database).name`, `dialectName`. */
const isDialect = (node: ts.Node): boolean =>
  /\bdialect(?:Name|Of\(.*\))?(?:\??\.name)?$/s.test(node.getText());

/** Code that decides by which database it is: a comparison, a switch, or a look into a record by the name. */
const decides = (node: ts.Node): boolean => {
  if (ts.isBinaryExpression(node))
    return isComparison(node.operatorToken) && (isDialect(node.left) || isDialect(node.right));
  if (ts.isSwitchStatement(node)) return isDialect(node.expression);
  return ts.isElementAccessExpression(node) && isDialect(node.argumentExpression);
};

/** Texts of a file as it runs: names, literals and pieces of templates, without comments. */
const textOf = (node: ts.Node): string | undefined =>
  ts.isIdentifier(node) ||
  ts.isPrivateIdentifier(node) ||
  ts.isLiteralExpression(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node)
    ? node.text
    : undefined;

/** The places where a file asks which database it is, as `line: what`. `naming` is true if it may name one. */
const violations = (text: string, naming: boolean): readonly string[] => {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const line = `${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: `;
    if (decides(node)) found.push(line + node.getText().split('\n', 1)[0]);
    else if (!naming && database.test(textOf(node) ?? '')) found.push(line + textOf(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

const files = globSync('**/*.ts', {
  cwd: source,
  exclude: [
    '**/*.test.ts',
    'database/{postgres,sqlite}/**',
    'database/{default-dialect,dialects,name,part-directory,targets}.ts',
  ],
});
const read = (file: string): string => readFileSync(join(source, file), 'utf8');

describe('which database it is', () => {
  it('no file outside its dialect asks which database it is, and no other names one', () => {
    expect(files.length).toBeGreaterThan(300);
    expect(
      files.flatMap((file) =>
        violations(read(file), Object.hasOwn(allowed, file)).map((found) => `${file}:${found}`),
      ),
    ).toEqual([]);
  });

  it('databases are named only in the files that are allowed to, all of which still do', () => {
    expect(Object.keys(allowed).filter((file) => violations(read(file), false).length === 0)).toEqual([]);
  });

  it.each([
    `const on = dialect === 'sqlite' ? '1' : 'true';`,
    `const on = 'sqlite' !== database.dialect;`,
    `const first = dialect.name === other.name;`,
    `const first = dialectOf(database).name == (this.name);`,
    `switch (target.dialect) { default: }`,
    `const words = table[this.#database.dialect];`,
    `const words = table[dialect.name];`,
  ])('the check finds code that asks which database it is in %s', (text) => {
    expect(violations(text, true)).toEqual([expect.stringMatching(/^1: /)]);
  });

  it.each([
    `const words = { sqlite: 1 };`,
    `import { open } from './dialects/postgres/database.ts';`,
    'const text = `a PostgreSQL`;',
    `type Name = 'postgres';`,
    `class A { #sqliteFile = 1; }`,
    `const form = /^sqlite:/;`,
  ])('the check finds the name of a database in %s', (text) => {
    expect(violations(text, false)).toEqual([expect.stringMatching(/^1: /)]);
  });

  it('the check finds nothing in comments, nor in code that only hands a dialect on', () => {
    const text = `/** On SQLite. */ // postgres\nconst { name } = dialectOf({ dialect: database.dialect });`;
    expect(violations(text, false)).toEqual([]);
  });
});
