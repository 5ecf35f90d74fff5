import { type Figure, figure } from '../../kernel/figure.ts';
import type { Sessions } from './sessions.ts';

/** Figures of the sessions of which statements have one each. */
export const figuresOfPool = ({ open, places, taken, waiting }: Sessions['load']): readonly Figure[] => [
  figure('gauge', 'database_pool_size', 'Sessions that may be in use (DATABASE_POOL).', places),
  figure('gauge', 'database_pool_connections', 'Connections to the server that are open.', open),
  figure('gauge', 'database_pool_in_use', 'Sessions in use.', taken),
  figure('gauge', 'database_pool_waiting', 'Statements that wait for a session.', waiting),
];
