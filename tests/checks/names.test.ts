import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** A declaration at the top of a file. */
interface Declared {
  readonly file: string;
  readonly name: string;
  readonly exported: boolean;
  /** True if it names a type; a class does. */
  readonly type: boolean;
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const namesOf = (statement: ts.Statement): readonly string[] => {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const declares =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return declares && statement.name !== undefined ? [statement.name.text] : [];
};

const declaredIn = (file: string, text: string): readonly Declared[] => {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = statements.flatMap((statement) =>
    namesOf(statement).map((name) => ({
      file,
      name,
      exported: isExported(statement),
      type: !ts.isVariableStatement(statement) && !ts.isFunctionDeclaration(statement),
    })),
  );
  // A function with several signatures is one.
  return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
};

/**
 * Names that stand for two things: what two files export, and a file's own type that has the name of one which another
 * exports. Each with its files.
 */
const ambiguous = (declarations: readonly Declared[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  for (const [name, all] of Map.groupBy(declarations, (each) => each.name)) {
    const exported = all.filter((each) => each.exported);
    const shadows = exported.some(({ type }) => type)
      ? all.filter((each) => !each.exported && each.type)
      : [];
    const files = [...exported, ...shadows].map(({ file }) => file);
    if (files.length > 1) found.set(name, files.sort());
  }
  return found;
};

const onePerDatabase = 'the same function for each database, so that the two can be compared line by line';

/** Names that may be declared more than once, and why. */
const allowed: Readonly<Record<string, string>> = {
  command: 'what every file of src/cli/commands exports; the registry tells them apart',
  alterColumns: onePerDatabase,
  toDatabaseError: onePerDatabase,
  own: 'a property of a body; and the condition of a model file, whose name is public',
  FieldDefinitions: 'the migrations’ name for the same type as the model’s',
};

const files = globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] });
const found = ambiguous(files.flatMap((file) => declaredIn(file, readFileSync(join(source, file), 'utf8'))));

describe('one name stands for one thing', () => {
  it('one name stands for one thing everywhere in src', () => {
    expect(files.length).toBeGreaterThan(300);
    expect([...found].filter(([name]) => !Object.hasOwn(allowed, name))).toEqual([]);
  });

  it('the names that are allowed in two files are still in two', () => {
    expect(Object.keys(allowed).filter((name) => !found.has(name))).toEqual([]);
  });

  it('the check finds a name that two files export', () => {
    const declarations = [
      declaredIn(
        'a.ts',
        'export class Cursor {} export const open = 1, shut = 2; interface Row {} const text = 1;',
      ),
      declaredIn('b.ts', 'type Cursor = 1; export function open(): void; export function open(_?: 1) {}'),
      declaredIn('c.ts', 'interface Row {} const shut = 3; export const text = 1;'),
    ].flat();
    expect([...ambiguous(declarations)]).toEqual([
      ['Cursor', ['a.ts', 'b.ts']],
      ['open', ['a.ts', 'b.ts']],
    ]);
  });
});
