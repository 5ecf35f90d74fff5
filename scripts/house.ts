/**
 * Counts in the syntax trees of `src` how easily it is found and read, and fails where a figure passes its bound.
 *
 *     npm run house -- [--list=FIGURE] [--root=FOLDER]
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { values } = parseArgs({
  options: {
    /** A figure whose occurrences are listed. */
    list: { type: 'string' },
    /** The folder that has `src`. */
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
  },
});
const { root } = values;

/** A file of `src` without tests. */
interface Source {
  /** Path from the root of the project. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** A number to be kept below a bound. */
interface FigureOfHouse {
  readonly title: string;
  readonly most: number;
  /** Returns a line for each occurrence. */
  readonly find: (sources: readonly Source[]) => readonly string[];
}

const read = (): readonly Source[] =>
  globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !/\.test\.ts$|\/test-[a-z-]+\.ts$/.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
    });

/** Returns every node of a tree, parents first. */
function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) yield* nodesOf(child);
}

const lineOf = ({ tree }: Source, position: number): number =>
  tree.getLineAndCharacterOfPosition(position).line + 1;

const placeOf = (source: Source, node: ts.Node): string =>
  `${source.path}:${lineOf(source, node.getStart())}`;

/** The nodes that a test accepts, each with its place. */
const places = (sources: readonly Source[], accepts: (node: ts.Node) => boolean): readonly string[] =>
  sources.flatMap((source) => [...nodesOf(source.tree)].filter(accepts).map((node) => placeOf(source, node)));

/** The room of a file: the folder of `src` that it is in; undefined for files beside the rooms. */
const roomOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];

/** A file at the top of its room. Other rooms import only these. */
const isDoor = (path: string): boolean => /^src\/[^/]+\/[^/]+$/.test(path);

interface Import {
  readonly from: string;
  readonly to: string;
}

const importsOf = ({ path, tree }: Source): readonly Import[] =>
  [...nodesOf(tree)].flatMap((node) => {
    const named =
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (named === undefined || !ts.isStringLiteral(named) || !named.text.startsWith('.')) return [];
    return [{ from: path, to: normalize(join(dirname(path), named.text)).replaceAll('\\', '/') }];
  });

const crossing = (sources: readonly Source[]): readonly Import[] =>
  sources
    .flatMap(importsOf)
    .filter(({ from, to }) => roomOf(to) !== undefined && roomOf(from) !== roomOf(to));

const arrow = ({ from, to }: Import): string => `${from} → ${to}`;

const functionName = (node: ts.SignatureDeclaration): string => {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
    ? parent.name.getText()
    : 'anonymous';
};

/** Functions of more than this many lines. */
const longFunctions =
  (lines: number) =>
  (sources: readonly Source[]): readonly string[] =>
    sources.flatMap((source) =>
      [...nodesOf(source.tree)].flatMap((node) => {
        if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return [];
        const length = lineOf(source, node.end) - lineOf(source, node.getStart()) + 1;
        return length > lines ? [`${placeOf(source, node)} ${functionName(node)}, ${length} lines`] : [];
      }),
    );

/** The expression of a spread into a literal; undefined for any other node. */
const spreadInLiteral = (node: ts.Node): ts.Expression | undefined => {
  if (!ts.isSpreadAssignment(node) && !ts.isSpreadElement(node)) return undefined;
  if (!ts.isObjectLiteralExpression(node.parent) && !ts.isArrayLiteralExpression(node.parent))
    return undefined;
  let { expression } = node;
  while (
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression)
  )
    ({ expression } = expression);
  return expression;
};

const spreadsLiteral = (node: ts.Node): boolean => {
  const spread = spreadInLiteral(node);
  return (
    spread !== undefined && (ts.isObjectLiteralExpression(spread) || ts.isArrayLiteralExpression(spread))
  );
};

const spreadsConditionally = (node: ts.Node): boolean => {
  const spread = spreadInLiteral(node);
  if (spread === undefined) return false;
  return (
    ts.isConditionalExpression(spread) ||
    (ts.isBinaryExpression(spread) && spread.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken)
  );
};

/** Comments of a file, each once, without their marks. */
const commentsOf = ({ text, tree }: Source): readonly { readonly at: number; readonly words: string }[] => {
  const found = new Map<number, string>();
  for (const node of nodesOf(tree)) {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) {
      const words = text
        .slice(pos, end)
        .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
        .replace(/\n\s*\*/g, ' ')
        .trim();
      found.set(pos, words);
    }
  }
  return [...found].map(([at, words]) => ({ at, words }));
};

const beginsWithoutSubject = /^(?:Of|By|Whether|Those|Which|Whose|Whom|Who|Whoever|Whomever|What|Whatever)\b/;

/** Names of files that are parts of any subject, and so are used many times. */
const partNames = new Set([
  'commands',
  'database',
  'dialect',
  'endpoints',
  'entity',
  'introspect',
  'errors',
  'schema',
  'search',
  'snapshot',
  'store',
  'tables',
  'target',
  'worker',
]);

const figures: Readonly<Record<string, FigureOfHouse>> = {
  doors: {
    title: "imports past another room's door",
    most: 0,
    find: (sources) =>
      crossing(sources)
        .filter(({ to }) => !isDoor(to))
        .map(arrow),
  },
  rooms: {
    title: 'rooms',
    most: 20,
    find: (sources) => [...new Set(sources.flatMap(({ path }) => roomOf(path) ?? []))],
  },
  pairs: {
    title: 'pairs of rooms that import each other',
    most: 0,
    find: (sources) => {
      const arrows = new Set(
        crossing(sources).map(({ from, to }) => `${roomOf(from) ?? 'src'} ${roomOf(to) ?? 'src'}`),
      );
      return [...arrows].filter((each) => {
        const [from = '', to = ''] = each.split(' ');
        return from < to && arrows.has(`${to} ${from}`);
      });
    },
  },
  purpose: {
    title: 'files over 60 lines that do not say at their top what they are for',
    most: 2,
    find: (sources) =>
      sources
        .filter(({ text }) => text.split('\n').length > 61 && !/^(?:#!.*\n)?\/\*\*/.test(text))
        .map(({ path }) => path),
  },
  longest: { title: 'functions over 150 lines', most: 0, find: longFunctions(150) },
  long: { title: 'functions over 80 lines', most: 1, find: longFunctions(80) },
  literals: {
    title: 'literals spread into literals',
    most: 0,
    find: (sources) => places(sources, spreadsLiteral),
  },
  conditional: {
    title: 'conditional spreads',
    most: 5,
    find: (sources) => places(sources, spreadsConditionally),
  },
  dialects: {
    title: 'importers of the dialect by name',
    most: 3,
    find: (sources) =>
      sources
        .flatMap(importsOf)
        .filter(({ to }) => to === 'src/database/dialects.ts')
        .map(arrow),
  },
  names: {
    title: 'file names used three times or more',
    most: 8,
    find: (sources) =>
      [...Map.groupBy(sources, ({ path }) => basename(path, '.ts'))]
        .filter(([name, files]) => files.length > 2 && !partNames.has(name))
        .map(([name, files]) => `${name}: ${files.map(({ path }) => path).join(', ')}`),
  },
  wide: {
    title: 'comment lines over 120 columns',
    most: 10,
    find: (sources) =>
      sources.flatMap(({ path, text }) =>
        text
          .split('\n')
          .flatMap((line, index) =>
            line.length > 120 && /^\s*(?:\/?\*|\/\/)/.test(line) ? [`${path}:${index + 1}`] : [],
          ),
      ),
  },
  subjects: {
    title: 'comments that begin without a subject',
    most: 10,
    find: (sources) =>
      sources.flatMap((source) =>
        commentsOf(source)
          .filter(({ words }) => beginsWithoutSubject.test(words))
          .map(({ at, words }) => `${source.path}:${lineOf(source, at)} ${words.slice(0, 80)}`),
      ),
  },
};

const sources = read();
for (const [name, { title, most, find }] of Object.entries(figures)) {
  const found = find(sources);
  const isOver = found.length > most;
  if (isOver) process.exitCode = 1;
  process.stdout.write(`${isOver ? '✗' : '✓'} ${name}: ${found.length} ${title} (at most ${most})\n`);
  if (values.list === name) process.stdout.write(`${found.map((each) => `    ${each}\n`).join('')}`);
}
