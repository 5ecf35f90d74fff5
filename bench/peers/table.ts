/** The tables of the comparison, as Markdown. */
import { type Measured, median, middle, quantile } from '../measure.ts';
import type { Durability, Peer } from './peer.ts';

/** What became of one server. */
export interface Outcome {
  readonly peer: Pick<Peer, 'name' | 'version' | 'asks' | 'total'>;
  /** Why it could not be measured; nothing else is there then. */
  readonly missing?: string;
  readonly node?: string;
  readonly durability?: Durability;
  /** Rounds by case; no entry for a case that it does not offer. */
  readonly results?: ReadonlyMap<string, readonly Measured[]>;
  /** Milliseconds from the start of the process to the first record that a user reads. */
  readonly starts?: readonly number[];
  /** Resident bytes of its processes. */
  readonly memory?: { readonly idle: number; readonly afterwards: number };
}

const show = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Two digits below ten, one below a hundred, none above. */
const short = (value: number): string => show(value, value < 10 ? 2 : value < 100 ? 1 : 0);

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

/** Why one is not in the figures, on one line. */
const reasonOf = (missing: string): string =>
  missing.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 300);

const throughput = (rounds: readonly Measured[] | undefined): string => {
  if (rounds === undefined) return '–';
  const rates = rounds.map(({ perSecond }) => perSecond);
  return `${show(median(rates))} (${show(quantile(rates, 0.25))} to ${show(quantile(rates, 0.75))})`;
};

const latency = (rounds: readonly Measured[] | undefined): string => {
  if (rounds === undefined) return '–';
  const { p50, p99 } = middle(rounds);
  return `${short(p50)} / ${short(p99)}`;
};

/** Microseconds of all its processes; neighbours on the machine hardly show in it. */
const cost = (rounds: readonly Measured[] | undefined): string =>
  rounds === undefined ? '–' : show(middle(rounds).cpu);

/** How many times as many requests the first one answers: the median of the rounds, with its quartiles. */
const timesOf = (ours: readonly Measured[], theirs: readonly Measured[]) => {
  const ratios = ours.map((each, round) => each.perSecond / (theirs[round]?.perSecond ?? Number.NaN));
  return { middle: median(ratios), lower: quantile(ratios, 0.25), upper: quantile(ratios, 0.75) };
};

const times = (ours: readonly Measured[] | undefined, theirs: readonly Measured[] | undefined): string => {
  if (ours === undefined || theirs === undefined) return '–';
  const { middle: half, lower, upper } = timesOf(ours, theirs);
  return `${short(half)} (${short(lower)} to ${short(upper)})`;
};

const megabytes = (bytes: number | undefined): string => (bytes === undefined ? '–' : show(bytes / 1e6));

const durable = ({ journal_mode, synchronous }: Durability): string =>
  `${journal_mode}, ${['off', 'normal', 'full', 'extra'][synchronous] ?? synchronous}`;

/**
 * Requests per second, latencies, how ours compares, start and memory, and how each was asked.
 *
 * @param ours the name of the one that the others are compared with
 */
export const tables = (outcomes: readonly Outcome[], cases: readonly string[], ours: string): string => {
  const measured = outcomes.filter(({ missing }) => missing === undefined);
  const mine = measured.find(({ peer }) => peer.name === ours);
  const others = measured.filter((outcome) => outcome !== mine);
  const of = ({ results }: Outcome, name: string) => results?.get(name);
  const rates = (outcome: Outcome): readonly string[] => {
    const { name, version } = outcome.peer;
    if (outcome.missing !== undefined)
      return [name, version, `not installed: ${reasonOf(outcome.missing)}`, ...cases.slice(1).map(() => '–')];
    return [name, version, ...cases.map((each) => throughput(of(outcome, each)))];
  };
  const compare = (outcome: Outcome): readonly string[] => [
    outcome.peer.name,
    ...cases.map((name) => times(mine === undefined ? undefined : of(mine, name), of(outcome, name))),
  ];
  const figures = (cell: typeof latency): readonly (readonly string[])[] =>
    measured.map((outcome) => [outcome.peer.name, ...cases.map((name) => cell(of(outcome, name)))]);
  return [
    'Requests per second, the median of the rounds and their quartiles:',
    tableOf(['server', 'version', ...cases], outcomes.map(rates)),
    `${ours} answers so many times as many:`,
    tableOf(['beside', ...cases], others.map(compare)),
    'Milliseconds, p50 / p99:',
    tableOf(['server', ...cases], figures(latency)),
    'Microseconds of CPU time for a request:',
    tableOf(['server', ...cases], figures(cost)),
    'Start, memory, and what stands behind the figures:',
    tableOf(
      [
        'server',
        'start ms',
        'idle MB',
        'after load MB',
        'Node',
        'journal, synchronous',
        'asks with',
        'total',
      ],
      measured.map(({ peer, starts = [], memory, node = '', durability }) => [
        peer.name,
        starts.length === 0 ? '–' : show(median(starts)),
        megabytes(memory?.idle),
        megabytes(memory?.afterwards),
        node,
        durability === undefined ? '–' : durable(durability),
        peer.asks,
        peer.total,
      ]),
    ),
  ].join('\n\n');
};
