import { type Figure, figure } from '../kernel/figure.ts';
import type { Shares } from './shares.ts';

type Load = Pick<Shares, 'taken' | 'waiting'>;

export const bothOf = (one: Load, other: Load): Load => ({
  taken: one.taken + other.taken,
  waiting: one.waiting + other.waiting,
});

/** Figures of what every database has few places for. */
export const figuresOfShares = (scans: Load, streams: Load): readonly Figure[] => [
  figure('gauge', 'database_scans', 'Statements that no index bounds and that run.', scans.taken),
  figure('gauge', 'database_scans_waiting', 'Such statements that wait for a place.', scans.waiting),
  figure('gauge', 'database_streams', 'Whole lists that are streamed.', streams.taken),
  figure('gauge', 'database_streams_waiting', 'Whole lists that wait for a place.', streams.waiting),
];
