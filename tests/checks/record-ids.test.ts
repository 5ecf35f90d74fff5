import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The key of a model is the only way from a text or a column to the id of a record: nothing else knows its type. */

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Rooms whose code handles the records of any model. */
const rooms = ['model', 'policy', 'records', 'resources', 'console/explain'];

/** Names under which code holds an id. */
const named = /^(?:id|ids|record|record_id|target|target_id|holder|key)$/;

const lastName = (node: ts.Expression): string => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression))
    return node.argumentExpression.text;
  return ts.isBinaryExpression(node) ? lastName(node.left) : '';
};

/** True for `Number(id)`, `parsePositive(id)`, `parseInteger(id)` and `typeof id === 'number'`. */
const readsId = (node: ts.Node): boolean => {
  if (ts.isCallExpression(node)) {
    const [of] = node.arguments;
    const isReader = /^(?:Number|parsePositive|parseInteger|Number\.parseInt)$/.test(
      node.expression.getText(),
    );
    return isReader && of !== undefined && named.test(lastName(of));
  }
  return (
    ts.isBinaryExpression(node) &&
    ts.isTypeOfExpression(node.left) &&
    node.right.getText() === "'number'" &&
    named.test(lastName(node.left.expression))
  );
};

const readsIn = (text: string): readonly string[] => {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (readsId(node)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

/** Ids of the service's own records, which are numbers. */
const own: Readonly<Record<string, readonly string[]>> = {
  'src/records/history/actors.ts': ['Number(id)', 'Number(write.actor.id)'],
};

const filesOf = (room: string): readonly string[] =>
  globSync(`src/${room}/**/*.ts`, { cwd: root }).filter((file) => !file.endsWith('.test.ts'));

describe('ids of records', () => {
  it('the check finds code that reads an id as a number', () => {
    expect(
      readsIn("const a = Number(row.id); if (typeof id === 'number') f(Number(params['id'] ?? ''))"),
    ).toEqual(['Number(row.id)', "typeof id === 'number'", "Number(params['id'] ?? '')"]);
  });

  it.each(rooms)('src/%s reads the id of a record by its key only', (room) => {
    const found = filesOf(room).flatMap((file): [string, readonly string[]][] => {
      const reads = readsIn(readFileSync(`${root}/${file}`, 'utf8'));
      return reads.length === 0 ? [] : [[file, reads]];
    });
    const ofRoom = Object.entries(own).filter(([file]) => file.startsWith(`src/${room}/`));
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(ofRoom));
  });
});
