import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { caches } from '../../src/kernel/caches.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isTest = (file: string): boolean => /\.test\.ts$|\/test-[a-z-]+\.ts$/.test(file);
const textOf = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');

const containers: ReadonlySet<string> = new Set([
  ...['Map', 'Set', 'WeakMap', 'WeakSet'],
  ...['PassingMap', 'PassingSet'],
]);
const adding: ReadonlySet<string> = new Set(['set', 'add']);

const constructed = (node: ts.Node | undefined): string | undefined =>
  node !== undefined && ts.isNewExpression(node) ? node.expression.getText() : undefined;

const functionAround = (node: ts.Node): ts.Node | undefined =>
  ts.findAncestor(node.parent, ts.isFunctionLike);

/** The class, function or variable at the top of the file that holds this. */
const holderOf = (node: ts.Node): string => {
  const top = ts.findAncestor(node, ({ parent }) => parent !== undefined && ts.isSourceFile(parent));
  if (top === undefined) return '';
  if (ts.isVariableStatement(top)) {
    const holds = top.declarationList.declarations.find(({ pos, end }) => pos <= node.pos && node.end <= end);
    return holds?.name.getText() ?? '';
  }
  return ts.isClassDeclaration(top) || ts.isFunctionDeclaration(top) ? (top.name?.text ?? '') : '';
};

/** Where else in the file a variable is named. */
const usesOf = (name: string, file: ts.SourceFile, declared: ts.Node): readonly ts.Node[] => {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name && node.parent !== declared) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(functionAround(declared) ?? file);
  return found;
};

const isAddedTo = ({ parent }: ts.Node): boolean =>
  ts.isPropertyAccessExpression(parent) && adding.has(parent.name.text) && ts.isCallExpression(parent.parent);

const isAssigned = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node.parent) &&
  node.parent.left === node &&
  node.parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
  node.parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment;

/** Whether a variable remembers from one call to the next: a function within where it was declared puts into it. */
const remembers = (variable: ts.VariableDeclaration): boolean => {
  const file = variable.getSourceFile();
  const list = variable.parent;
  const changes = (list.flags & ts.NodeFlags.Let) !== 0 ? isAssigned : () => false;
  const isContainer = containers.has(constructed(variable.initializer) ?? '');
  if (!isContainer && changes === isAssigned && ts.isForStatement(list.parent)) return false;
  const home = functionAround(variable);
  return usesOf(variable.name.getText(), file, variable).some(
    (use) => functionAround(use) !== home && ((isContainer && isAddedTo(use)) || changes(use)),
  );
};

/** Everything of a file that holds something from one call to the next, by the declaration that holds it. */
const memoriesOf = (file: string, text: string): readonly string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const inClass = ts.isPropertyDeclaration(node) && containers.has(constructed(node.initializer) ?? '');
    if (inClass || (ts.isVariableDeclaration(node) && remembers(node))) found.push(holderOf(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
};

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !isTest(file));
const tests = globSync(['src/**/*.test.ts', 'tests/**/*.test.ts'], { cwd: root });

/** The command line and what tests are given end with what they were started for. */
const memories: ReadonlySet<string> = new Set(
  sources
    .filter((file) => !file.startsWith('src/cli/') && file !== 'src/testing/testing.ts')
    .flatMap((file) => memoriesOf(file, textOf(file))),
);

/** What holds something from one call to the next and is no cache: what it says is so because it says it. */
const noCaches: Readonly<Record<string, readonly string[]>> = {
  'who waits, who is at it, what is open': [
    ...[
      'Connections',
      'PostgresReplica',
      'Pulse',
      'ReaderThread',
      'ScanPool',
      'PostgresDatabase',
      'Sessions',
      'Shares',
      'SqliteConnection',
      'StreamSlots',
      'UnitRunner',
    ],
    ...[
      'closing',
      'createGate',
      'createSend',
      'createWaitingLines',
      'createWorkQueue',
      'Totals',
      'UnsentReads',
      'started',
      'stopHttp',
      'streams',
    ],
    ...['watchCredentials', 'standardOutput', 'UploadFolders', 'inUse'],
    ...['JobWorker', 'createJobs', 'UnreadableSecrets', 'prepareWork', 'teller', 'EventSignal'],
    ...['Turn', 'WebhookWatch', 'CatchUp', 'ChangeFeed', 'Changes'],
  ],
  'counted or noted, and written to the database later': [
    ...[
      'EventLimit',
      'createKeyNetworks',
      'batchesOf',
      'createRefusals',
      'createRefusedClaims',
      'createRequestCounts',
      'createKeyUsage',
      'createSecurityEvents',
      'createUsageRecorder',
    ],
  ],
  'counted since the start, for who watches': [
    ...['AnswerTimes', 'RouteTimes', 'WorkerReadings', 'createWebhooks', 'answering'],
  ],
  'marks and facts about an object that end with it': [
    'files',
    'made',
    'recording',
    'Narrowing',
    'createAudiences',
    'statementOf',
    'systemGrants',
    'versions',
  ],
  'what one request has asked, which ends with it': ['relatedFor', 'Kinds'],
  'made of the models or files of the process when it is first asked for': [
    ...['compileCheck', 'compiled', 'createForecast', 'pageEndpoints'],
  ],
  'what a transaction has seen, which ends with it': ['Shared'],
  'put together once, and whole before anybody asks': [
    'Components',
    'Routes',
    'collect',
    'inserts',
    'opened',
  ],
  'local to a call, changed by a function in it': [
    ...['checkEndpoints', 'copyFile', 'copyPages', 'counted'],
    'Numbering',
    'indexesOf',
    'parseFilters',
    'MultipartReader',
    'Cascading',
    'Collecting',
    'seenOf',
    'readBody',
    'createUserRemoval',
    'deletionOf',
    'insertAll',
    'joinModules',
    'importSlice',
    'remaining',
    'histogramOf',
  ],
  'what is so: the temporary databases, whether this one is lost, how much the log tells': [
    'temporary',
    'watchClock',
    'watchDatabase',
    'watchStatements',
  ],
  'what others of these are made of': ['BoundedCache', 'PassingMap', 'PassingSet'],
};

const rows = Object.entries<{ room?: number; heldBy?: readonly string[]; test?: string }>(caches);

describe('what holds something from one call to the next', () => {
  it('is found in every form that it may have', () => {
    const text = `
      const known = new WeakMap<object, string>();
      export const keep = (key: object) => known.set(key, '');
      export class Holder { readonly #byName = new Map<string, string>(); }
      export const create = () => {
        const seen = new Set<string>();
        let last: string | undefined;
        return { see: (name: string) => { seen.add(name); last = name; return last; } };
      };
      let calls = 0;
      export function count() { calls += 1; }
      export const local = (names: string[]) => { const all = new Set(names); all.add(''); return all.size; };
      const fixed = new Set(['a']);
      export const has = (name: string) => fixed.has(name);
    `;
    expect([...new Set(memoriesOf('memory.ts', text))]).toEqual(['known', 'Holder', 'create', 'calls']);
  });

  it('has a row in the map of caches, or is known to be none', () => {
    const known = [...rows.flatMap(([, { heldBy = [] }]) => heldBy), ...Object.values(noCaches).flat()];
    expect([...memories].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('is still there where it is known to be no cache', () => {
    expect(
      Object.values(noCaches)
        .flat()
        .filter((name) => !memories.has(name)),
    ).toEqual([]);
  });
});

describe('the map of caches', () => {
  const all = sources.map(textOf).join('\n');

  it.each(rows.filter(([, { room }]) => room !== undefined))('%s is made, once', (name) => {
    expect(all.split(`('${name}')`).length - 1).toBe(1);
  });

  it.each(rows.filter(([, { heldBy }]) => heldBy !== undefined))('%s is held where it says', (_, row) => {
    for (const name of row.heldBy ?? []) expect(all).toMatch(new RegExp(`(?:class|const|let) ${name}\\b`));
  });

  it.each(rows)('%s: what ends it has a test, or never comes', (_, row) => {
    const { ends, test } = { ends: '', ...row };
    if (test === undefined) expect(ends).toMatch(/^never\b/);
    else expect(tests.some((file) => textOf(file).includes(`'${test}'`))).toBe(true);
  });
});
