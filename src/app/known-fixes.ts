/**
 * The oldest versions of Node and of the databases that have their known security fixes: one table, which `start` and
 * `audit` compare with what runs. Update it with each security release, and `bin/runtime.js` where it concerns Node.
 */

import type { Dialect } from '../database/dialect.ts';
import type { Ask } from '../database/introspection.ts';

interface KnownFixes {
  /** The first fixed version of each line of releases, in order. A missing line has no fixed version. */
  readonly fixed: readonly string[];
  readonly reason: string;
  readonly source: string;
}

const knownFixes: Readonly<Record<string, KnownFixes>> = {
  Node: {
    fixed: ['24.22.1', '26.12.1'],
    reason: "Node's security release of October 2026",
    source: 'https://nodejs.org/en/blog/vulnerability',
  },
  SQLite: {
    fixed: ['3.51.3'],
    reason: 'a write-ahead log that is reset at the wrong moment damages the database',
    source: 'https://sqlite.org/wal.html#walresetbug',
  },
  PostgreSQL: {
    fixed: ['14.25', '15.20', '16.16', '17.12', '18.7'],
    reason: 'security releases up to CVE-2026-6460',
    source: 'https://www.postgresql.org/support/security/',
  },
};

const partsOf = (version: string): readonly number[] =>
  (/^v?\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').replace('v', '').split('.').map(Number);

const compare = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((part, index) => part !== (other[index] ?? 0));
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
};

/**
 * One sentence if a version of a program lacks known fixes, undefined otherwise. Lines of releases are counted by their
 * first number; a line newer than all of the table has the fixes.
 */
export const missingFixes = (program: string, version: string): string | undefined => {
  const known = knownFixes[program];
  if (known === undefined) return undefined;
  const found = partsOf(version);
  const lines = known.fixed.map(partsOf);
  const line = lines.find(([major]) => major === found[0]);
  const isFixed =
    line === undefined ? lines.every(([major = 0]) => (found[0] ?? 0) > major) : compare(line, found) <= 0;
  if (isFixed) return undefined;
  return `${program} ${version} lacks known fixes (${known.reason}; ${known.source}): update it to ${known.fixed.join(', ')} or newer`;
};

/** The sentence about the Node of this process. */
export const outdatedNode = (version = process.versions.node): readonly string[] =>
  [missingFixes('Node', version)].filter((sentence) => sentence !== undefined);

/** The sentence about the program behind a database. */
export const outdatedDatabase = async (ask: Ask, dialect: Dialect): Promise<readonly string[]> => {
  const { name, versionSql } = dialect.program;
  const [row] = await ask<{ version: string }>(versionSql);
  // Distributions put their own name behind the number: `15.18 (Debian 15.18-0)`.
  const sentence = row && missingFixes(name, row.version.split(' ')[0] ?? '');
  return sentence === undefined ? [] : [sentence];
};
