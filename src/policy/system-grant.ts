import { anonymous } from '../auth/principal.ts';
import type { Grant } from './grant.ts';
import { MintedGrant } from './mint.ts';

/**
 * A grant for the command line and for tests, where the operating system has decided who may act: all rows, the named
 * fields. No endpoint may import this file, which the import check enforces.
 */
export const systemGrant = (readable: readonly string[], writable: Iterable<string> = []): Grant =>
  new MintedGrant({ principal: anonymous, rows: [], readable, writable: new Set(writable) });
