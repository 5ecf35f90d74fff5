import type { Row } from './siege.ts';

const columns: readonly (readonly [string, (row: Row) => string | number])[] = [
  ['scenario', ({ scenario }) => scenario],
  ['s', ({ seconds }) => seconds.toFixed(1)],
  ['writes/s', ({ perSecond }) => Math.round(perSecond)],
  ['acknowledged', ({ acknowledged }) => acknowledged],
  ['refused', ({ refused }) => refused],
  ['unknown', ({ unknown }) => unknown],
  ['lost', ({ lost }) => lost],
  ['stored twice', ({ twice }) => twice],
  ['slowest answer, ms', ({ slowest }) => Math.round(slowest)],
  ['held', ({ broken }) => (broken.length === 0 ? 'yes' : `no: ${broken.join('; ')}`)],
];

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** Rounds of one scenario as one row: sums, the slowest answer, and whatever did not hold in any. */
const joined = (rows: readonly Row[]): Row => {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const seconds = sum((row) => row.seconds);
  const acknowledged = sum((row) => row.acknowledged);
  return {
    scenario: rows[0]?.scenario ?? '',
    seconds,
    perSecond: acknowledged / seconds,
    acknowledged,
    refused: sum((row) => row.refused),
    unknown: sum((row) => row.unknown),
    lost: Math.max(...rows.map((row) => row.lost)),
    twice: Math.max(...rows.map((row) => row.twice)),
    slowest: Math.max(...rows.map((row) => row.slowest)),
    broken: [...new Set(rows.flatMap((row) => row.broken))],
  };
};

/** The table of a siege, in Markdown. */
export const tableOf = (rows: readonly Row[]): string => {
  const byScenario = Map.groupBy(rows, ({ scenario }) => scenario);
  const all = [...byScenario.values()].map(joined);
  const total = { ...joined(rows), scenario: 'in all' };
  return [
    line(columns.map(([name]) => name)),
    line(columns.map(() => '---')),
    ...[...all, total].map((row) => line(columns.map(([, cell]) => cell(row)))),
  ].join('\n');
};
