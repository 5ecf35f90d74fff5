import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { combinations, sample } from '../contract/resources/combinations.ts';
import { targets } from '../mutants/targets.ts';
import { filesOfProjects, patterns } from '../support/tiers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const all = globSync(['src/**/*.test.ts', 'tests/**/*.test.ts'], { cwd: root });

const quick = [
  ...filesOfProjects['quick-sqlite'],
  ...filesOfProjects['quick-both'],
  ...filesOfProjects['quick-apart'],
];
const full = [...filesOfProjects.full, ...filesOfProjects['full-shared'], ...filesOfProjects['full-timed']];

describe('the tiers of the tests', () => {
  it('the tiers have every test file, and none twice on the same database', () => {
    const whole = [...quick, ...full, ...patterns.long];
    expect(whole.toSorted()).toEqual(all.toSorted());
    expect(all.length).toBeGreaterThan(300);
  });

  it('the full tier runs on PostgreSQL what the quick one runs on SQLite only', () => {
    const onEach = filesOfProjects['quick-sqlite'].filter((file) =>
      readFileSync(`${root}${file}`, 'utf8').match(/describeEachDatabase\(/),
    );
    expect(filesOfProjects['full-postgres'].toSorted()).toEqual(onEach.toSorted());
    expect(onEach.length).toBeGreaterThan(30);
  });

  it('the tiers name no file that is not there', () => {
    const missing = Object.values(patterns)
      .flat()
      .filter((pattern) => globSync(pattern, { cwd: root }).length === 0);
    expect(missing).toEqual([]);
  });

  it('mutation tests change files that are there, and argue changes of such only', () => {
    const named = targets.flatMap(({ mutate, tests }) => [...mutate, ...tests]);
    const argued = JSON.parse(readFileSync(`${root}tests/mutants/survivors.json`, 'utf8')) as readonly {
      readonly changes: object;
    }[];
    const files = [...named, ...argued.flatMap(({ changes }) => Object.keys(changes))];
    const missing = files.filter(
      (file) => !file.startsWith('!') && globSync(file, { cwd: root }).length === 0,
    );
    expect(missing).toEqual([]);
  });

  it('the full tier has a sample with every pair of values of two switches', () => {
    const pairsOf = (among: typeof combinations): ReadonlySet<string> =>
      new Set(
        among.flatMap(({ switches }) => {
          const values = Object.entries(switches).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
          return values.flatMap((one) => values.map((other) => `${one}, ${other}`));
        }),
      );
    expect(pairsOf(combinations).difference(pairsOf(sample))).toEqual(new Set());
    expect(sample.length).toBeLessThan(combinations.length / 6);
  });

  it('the tiers are what the commands of package.json run', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    expect(scripts['test']).toContain("--project 'quick*'");
    expect(readFileSync(`${root}scripts/test-full.js`, 'utf8')).toContain("'--project', 'full*'");
    expect(scripts['test:long']).toContain('--project long');
  });
});
