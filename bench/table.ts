import type { Ratio, Row } from './compare.ts';

const show = (value: number | undefined, digits = 0): string =>
  value?.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '–';

/** A latency in milliseconds. */
const short = (value: number): string => show(value, value < 10 ? 2 : 1);

const ratioText = (ratio: Ratio | undefined): string =>
  ratio === undefined ? '–' : `${show(ratio.middle, 2)} (${show(ratio.lower, 2)} to ${show(ratio.upper, 2)})`;

const targetText = ({ target, ratio, held }: Row): readonly [string, string] =>
  target === undefined
    ? ['', '']
    : [`${ratio?.of === 'p99' ? '≤' : '≥'} ${target}`, held === true ? 'held' : 'NOT HELD'];

const heads = [
  'case',
  'req/s',
  'beside',
  'p50 / p99 / p99.9 ms',
  'beside',
  'CPU µs (+ database)',
  'beside',
  'ratio (quartiles)',
  'CPU ratio',
  'target',
  '',
];

const cells = (row: Row): readonly string[] => {
  const { service, beside } = row;
  const latencies = (of: typeof beside): string =>
    of === undefined ? '–' : [of.p50, of.p99, of.p999].map(short).join(' / ');
  const cost = (of: typeof beside): string => {
    if (of === undefined) return '–';
    return of.databaseCpu === 0 ? show(of.cpu) : `${show(of.cpu)} + ${show(of.databaseCpu)}`;
  };
  return [
    row.name,
    show(service.perSecond),
    show(beside?.perSecond),
    latencies(service),
    latencies(beside),
    cost(service),
    cost(beside),
    ratioText(row.ratio),
    show(row.cpuRatio, 2),
    ...targetText(row),
  ];
};

const line = (of: readonly string[]): string => `| ${of.join(' | ')} |`;

export const tableHead = (): string => `${line(heads)}\n${line(heads.map(() => '---'))}`;

export const tableRow = (row: Row): string => line(cells(row));
