import { nobody } from '../auth/principal.ts';
import type { Grant } from './grant.ts';
import { MintedGrant } from './mint.ts';

/**
 * A grant for the command line and for tests, where the operating system has already decided who may: all rows, the
 * named fields. No endpoint may import this file: the import check holds it so.
 */
export const systemGrant = (readable: readonly string[], writable: Iterable<string> = []): Grant =>
  new MintedGrant({ principal: nobody, rows: [], readable, writable: new Set(writable) });
