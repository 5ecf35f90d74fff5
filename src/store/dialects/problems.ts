import { Problem } from '../../kernel/problem.ts';

/** The database is away, busy for too long, full or broken. `cause` is logged, never answered. */
export const databaseUnavailable = (cause: unknown): Problem =>
  new Problem('database_unavailable', { headers: { 'Retry-After': '5' }, cause });

/** The database works, but has more on its hands than it may take. */
export const overloaded = (cause: unknown): Problem =>
  new Problem('overloaded', { headers: { 'Retry-After': '1' }, cause });
