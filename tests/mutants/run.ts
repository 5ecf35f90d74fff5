/**
 * Mutation tests (`npm run mutants`, `npm run mutants -- src/auth src/policy`): changes the code of the folders in
 * targets.ts, one small change at a time, and asks the tests beside it whether they notice. Ends with 1 where the score
 * of a folder is below 90 %, or a change that no test noticed is not argued in survivors.json. Not part of CI: it takes
 * an hour. `--static` takes what is computed once, as a module is loaded, as well: every such change costs a whole run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Target, targets } from './targets.ts';

/** Percent of the changes that tests must notice. */
const demanded = 90;

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}reports/mutants`;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The report about one change (https://github.com/stryker-mutator/mutation-testing-elements). */
interface Mutant {
  readonly status:
    | 'Killed'
    | 'Timeout'
    | 'Survived'
    | 'NoCoverage'
    | 'Ignored'
    | 'RuntimeError'
    | 'CompileError';
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Outcome {
  readonly file: string;
  readonly noticed: boolean;
  /** The change as it is argued: `what stood there → what stood there instead`, blanks and lines made one. */
  readonly change: string;
}

const counted: ReadonlySet<Mutant['status']> = new Set(['Killed', 'Timeout', 'Survived', 'NoCoverage']);

const textBetween = (source: string, { start, end }: Mutant['location']): string => {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join('\n');
};

const plain = (code: string): string => code.replaceAll(/\s+/g, ' ').trim();

const outcomesOf = ({ files }: Report): readonly Outcome[] =>
  Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => counted.has(status))
      .map(({ status, replacement, location }) => ({
        file,
        noticed: status === 'Killed' || status === 'Timeout',
        change: `${plain(textBetween(source, location))} → ${plain(replacement)}`,
      })),
  );

const run = (
  { mutate, tests, testTimeoutMs = 10_000 }: Target,
  index: number,
  withStatic: boolean,
): readonly Outcome[] => {
  const name = `${folder}/${index}`;
  const settings = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'tests/mutants/vitest.config.ts', related: false },
    mutate: [...mutate, '!**/*.test.ts', '!**/test-*.ts'],
    ignorePatterns: ['/dist', '/docs', '/bench', '/admin', '/coverage', '/data', '/reports'],
    ignoreStatic: !withStatic,
    concurrency: 1,
    timeoutMS: testTimeoutMs,
    tempDirName: `reports/mutants/sandbox-${index}`,
    incremental: true,
    incrementalFile: `${name}-before.json`,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: `${name}.json` },
  };
  writeFileSync(`${name}-settings.json`, JSON.stringify(settings));
  const env = { ...process.env, MUTANT_TESTS: tests.join(';'), TEST_DATABASE: 'sqlite' };
  const { status } = spawnSync('npx', ['stryker', 'run', `${name}-settings.json`], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the mutation tests did not come to an end');
  return outcomesOf(JSON.parse(readFileSync(`${name}.json`, 'utf8')) as Report);
};

/** Changes that nothing notices, by the reason why nothing has to: file, then change. */
type Argued = readonly {
  readonly why: string;
  readonly changes: Readonly<Record<string, readonly string[]>>;
}[];

const argued = JSON.parse(readFileSync(`${root}tests/mutants/survivors.json`, 'utf8')) as Argued;

const isArgued = ({ file, change }: Outcome): boolean =>
  argued.some(({ changes }) => changes[file]?.includes(change) === true);

/** Tells how a folder did; whether that is good. */
const judge = (name: string, outcomes: readonly Outcome[]): boolean => {
  const survivors = outcomes.filter(({ noticed }) => !noticed);
  const score = (100 * (outcomes.length - survivors.length)) / outcomes.length;
  console.log(`${name}: ${score.toFixed(1)} % of ${outcomes.length} changes were noticed`);
  const open = survivors.filter((each) => !isArgued(each));
  for (const { file, change } of open) console.log(`  not noticed, not argued: ${file}: ${change}`);
  return score >= demanded && open.length === 0;
};

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const withStatic = process.argv.includes('--static');
mkdirSync(folder, { recursive: true });

const chosen = [...targets.entries()].filter(
  ([, { folder: name, part }]) =>
    asked.length === 0 || asked.includes(name) || asked.includes(`${name}:${part}`),
);
if (chosen.length === 0)
  throw new Error(`one of: ${[...new Set(targets.map((each) => each.folder))].join(', ')}`);
const results = chosen.map(([index, target]) => [target.folder, run(target, index, withStatic)] as const);
const verdicts = [...Map.groupBy(results, ([name]) => name)].map(([name, parts]) =>
  judge(
    name,
    parts.flatMap(([, outcomes]) => outcomes),
  ),
);
if (verdicts.includes(false)) process.exitCode = 1;
