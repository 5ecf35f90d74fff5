import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A wait of so many milliseconds, written as a figure: `delay(300)`, `setTimeout(resolve, 300)`. */
const isSleep = (node: ts.Node): boolean => {
  if (!ts.isCallExpression(node)) return false;
  const [first, second] = node.arguments;
  if (node.expression.getText() === 'delay') return first !== undefined && ts.isNumericLiteral(first);
  if (node.expression.getText() !== 'setTimeout') return false;
  const resolves = first !== undefined && ts.isIdentifier(first);
  return resolves && second !== undefined && ts.isNumericLiteral(second);
};

/** True if the node is run again and again: then the wait is the interval of a poll. */
const isInLoop = (node: ts.Node): boolean => {
  for (let at = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isWhileStatement(at) || ts.isDoStatement(at) || ts.isForStatement(at)) return true;
    if (ts.isForOfStatement(at)) return true;
  }
  return false;
};

const sleepsIn = (text: string): readonly string[] => {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isSleep(node) && !isInLoop(node))
      found.push(`${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

/**
 * Files whose waits of a fixed time are what the test is about, how many they are at most, and why nothing can be polled.
 * Every other test waits for what it means.
 */
const spans: Readonly<Record<string, readonly [waits: number, why: string]>> = {
  'src/auth/login.test.ts': [1, 'a hash that takes a while'],
  'src/database/chunk-stream.test.ts': [
    1,
    'a reader slower than the slots allow is left alone for that time',
  ],
  'src/http/server.test.ts': [1, 'the age of a connection'],
  'tests/contract/bodies.test.ts': [1, 'a body that comes in two packets'],
  'tests/contract/changes.test.ts': [1, 'looks at credentials that leave no trace'],
  'tests/contract/observed.test.ts': [1, 'a transaction that waits'],
  'tests/contract/webhook-limits.test.ts': [1, 'a receiver that takes a while'],
  'tests/faults/continuous-backup.test.ts': [2, 'moments of a replica are whole seconds'],
  'tests/faults/few-files.test.ts': [1, 'strangers who come again'],
  'tests/faults/mail-killed.test.ts': [1, 'a mail server that takes a while'],
  'tests/faults/stopping.test.ts': [1, 'a second signal that is no echo of the first'],
  'tests/faults/webhooks.test.ts': [1, 'that a sent message cannot be stored'],
  'tests/faults/workers.test.ts': [
    3,
    'connections that no worker takes; a second signal that is no echo of the first',
  ],
  'tests/upgrade/upgrade.test.ts': [1, 'that nothing arrives twice'],
};

describe('a test', () => {
  it('waits for what it means, and not for so many milliseconds', () => {
    const counts = globSync(['src/**/*.test.ts', 'tests/**/*.test.ts'], { cwd: root }).flatMap((file) => {
      const found = sleepsIn(readFileSync(`${root}${file}`, 'utf8'));
      return found.length <= (spans[file]?.[0] ?? 0) ? [] : [`${file} waits at ${found.join(', ')}`];
    });
    expect(counts).toEqual([]);
  });

  it('a poll is no sleep, and a plain delay is one', () => {
    expect(sleepsIn('await delay(5);')).toEqual(['1: delay(5)']);
    expect(sleepsIn('await new Promise((done) => setTimeout(done, 5));')).toEqual(['1: setTimeout(done, 5)']);
    expect(sleepsIn('while (!isThere()) await delay(5);')).toEqual([]);
    expect(sleepsIn('setTimeout(() => socket.destroy(), 5);')).toEqual([]);
  });
});
