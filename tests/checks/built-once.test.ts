import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** Commands, of which `upkeep/forget.ts` is one, and the tools for tests are, or stand beside, services of their own. */
const isOfService = (file: string): boolean =>
  !file.startsWith('cli/') &&
  !file.startsWith('testing/') &&
  file !== 'upkeep/forget.ts' &&
  !file.endsWith('.test.ts');

const files = globSync('**/*.ts', { cwd: source })
  .filter(isOfService)
  .map((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  });

/** Rooms that hold the service's own tables. */
const rooms = /^(?:accounts|delivery|ledger|upkeep)\//;

/** The factories of stores: exported functions of files that build statements on the service's own tables. */
const factories = new Set(
  files
    .filter(
      ({ fileName, text }) =>
        rooms.test(fileName) && fileName !== 'ledger/command.ts' && text.includes('tablesOf('),
    )
    .flatMap(({ text }) => [...text.matchAll(/^export const (create\w+)/gm)].map(([, name = '']) => name)),
);

const callsIn = (file: ts.SourceFile): readonly string[] => {
  const calls: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && factories.has(node.expression.text))
      calls.push(node.expression.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return calls;
};

it('each store of a service is built in one place and handed on: what it holds is one', () => {
  const places = Map.groupBy(
    files.flatMap((file) => callsIn(file).map((name) => ({ name, place: file.fileName }))),
    ({ name }) => name,
  );
  expect(places.get('createIdentityStore')?.map(({ place }) => place)).toEqual(['app/compose.ts']);
  expect([...factories].sort()).toEqual([...places.keys()].sort());
  expect([...places.values()].filter(({ length }) => length > 1)).toEqual([]);
});
