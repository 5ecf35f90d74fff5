/** The services whose tables a database has, by the beginnings of the names of their tables. */

import type { Dialect } from './dialect.ts';
import type { Ask } from './introspection.ts';
import { prefixFlaw, serviceNames, serviceTables } from './service-names.ts';

interface FoundSet {
  readonly found: string;
  readonly prefixed: boolean | number;
}

/** The names of both kinds: today's, and those of a prefix that is the beginning of today's. */
const usual = 'gatewright_database';

/** The prefixes of the services in a database; undefined for one without a prefix. */
const serviceSets = async (ask: Ask, { schema }: Dialect): Promise<readonly (string | undefined)[]> =>
  (await ask<FoundSet>(schema.serviceSets)).map(({ found, prefixed }) =>
    found === usual && !prefixed ? undefined : found.slice(0, -'database'.length),
  );

/** A prefix in messages. */
export const shownPrefix = (prefix: string | undefined): string =>
  prefix === undefined ? 'no serviceTables' : `serviceTables "${prefix}"`;

/** Why a service with the names of a dialect must not begin a set of tables of its own. */
export interface OtherSet {
  /** Names both prefixes. */
  readonly sentence: string;
  /** True if both can be in one database. */
  readonly mayBeBeside: boolean;
}

/** Another service's tables in a database that has none with the names of the dialect; undefined where it has. */
export const otherSet = async (ask: Ask, dialect: Dialect): Promise<OtherSet | undefined> => {
  const { prefix } = dialect.names;
  const sets = await serviceSets(ask, dialect);
  const [other] = sets;
  if (sets.length === 0 || sets.includes(prefix)) return undefined;
  const sameNames = [prefix, other].every((each) => each === undefined || each === 'gatewright_');
  return {
    sentence: `the tables of the service in this database were made with ${shownPrefix(other)}, and gatewright.config.ts says ${shownPrefix(prefix)}: nothing was changed`,
    mayBeBeside: dialect.schema.servicesShare && !sameNames,
  };
};

/** The prefix of the only service in a database, as `serviceTables` names it; the given one where there are others. */
export const onlyPrefix = async (ask: Ask, dialect: Dialect): Promise<string | undefined> => {
  const sets = await serviceSets(ask, dialect);
  return sets.length === 1 ? sets[0] : dialect.names.prefix;
};

/**
 * The tables of every service in a database by their stored names, with the names that describe them: `api_users` is
 * `users`. Those of a schema of their own have its name before a dot.
 */
export const tablesOfServices = async (ask: Ask, dialect: Dialect): Promise<ReadonlyMap<string, string>> => {
  const sets = await serviceSets(ask, dialect);
  const prefixes = sets.filter((prefix) => prefix === undefined || prefixFlaw(prefix) === undefined);
  return new Map(
    prefixes.flatMap((prefix) => {
      const names = serviceNames(prefix);
      return [...serviceTables].map((table): [string, string] => [names.shown(table), table]);
    }),
  );
};
