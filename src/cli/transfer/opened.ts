/** Opens the database and the operations of an application for commands on records, alongside a running service. */

import { pino } from 'pino';
import type { UserScopeParts, UserStore } from '../../accounts/users.ts';
import type { Application } from '../../app/application.ts';
import { composeOffline } from '../../app/compose-offline.ts';
import type { Config } from '../../app/config.ts';
import { prepareForCommand } from '../../app/migrate.ts';
import { secretBeside } from '../../app/secrets.ts';
import { canonicalAccount } from '../../auth/account.ts';
import type { Identities, Identity } from '../../auth/ports.ts';
import { defaultMethods, isOfApplications } from '../../auth/registry.ts';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import { databaseTarget } from '../../database/targets.ts';
import { checkedModels } from '../../http/call.ts';
import { systemClock } from '../../kernel/clock.ts';
import { catalogueOf } from '../../kernel/messages.ts';
import { nearestHint } from '../../kernel/options.ts';
import { Problem } from '../../kernel/problem.ts';
import { problemText } from '../../kernel/problem-text.ts';
import type { EventLog } from '../../ledger/event-log.ts';
import type { ImportStore } from '../../ledger/imports.ts';
import type { Action } from '../../model/resource.ts';
import type { Scope } from '../../model/scope.ts';
import type { Grant } from '../../policy/grant.ts';
import { apiArea } from '../../resources/area.ts';
import { type Acting, requireGrant, type ServedResource } from '../../resources/operations.ts';
import { openApplication } from '../application.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { commandConfig } from '../tables.ts';

/** Connections besides the transaction's: few, for looking up the cause of a refusal. */
const poolSize = 4;

interface ServedResources {
  /** The served resources by model name. */
  readonly resources: ReadonlyMap<string, ServedResource>;
}

interface KnownUsers {
  readonly users: UserStore;
}

interface ActingParts extends ServedResources, KnownUsers {
  readonly identities: Identities;
}

/** Parts of the service that commands on records work with. */
interface OpenedParts extends ActingParts, UserScopeParts {
  readonly database: Database;
  readonly systemScope: (reason: string) => Scope<'all'>;
  readonly events: Pick<EventLog, 'settle'>;
  /** Places of files that `gatewright import` has reached. */
  readonly imports: ImportStore;
}

export interface OpenOperations {
  readonly config: Config;
  readonly services: OpenedParts;
}

/**
 * Opens the configured database and the operations of the application's resources, alongside a service that may be
 * running on it; migrates it only if it is new, and closes it afterwards.
 */
export const withOperations = async <T>(
  io: Pick<Io, 'env' | 'show'>,
  work: (opened: OpenOperations) => Promise<T>,
  open: () => Promise<Application> = openApplication,
): Promise<T> => {
  const config = commandConfig(io);
  const application = await open();
  const target = databaseTarget(config.databaseUrl, application.config.serviceTables);
  await prepareForCommand(config, application, target);
  const database = await openDatabase(target, { poolSize, prepare: config.databasePrepare });
  try {
    const logger = pino({ level: 'warn' }, { write: (line) => io.show(line) });
    const secret = () => secretBeside(config);
    const offline = { config, application, database, secret, clock: systemClock, logger };
    const { services } = await composeOffline(offline);
    try {
      return await work({ config, services });
    } finally {
      await services.code.ended();
    }
  } finally {
    await database.close();
  }
};

/** Returns the resource with a path or model name. @throws UsageError */
export const findResource = (services: ServedResources, name: string | undefined): ServedResource => {
  const resources = [...services.resources.values()];
  const paths = resources.map(({ model }) => model.path).join(', ');
  if (name === undefined) throw new UsageError(`--resource is needed: one of ${paths}`);
  const found = resources.find(({ model }) => model.path === name || model.name === name);
  if (found !== undefined) return found;
  const names = resources.flatMap(({ model }) => [model.path, model.name]);
  throw new UsageError(`there is no resource '${name}'${nearestHint(name, names)}`);
};

/** Returns the id of the user with this name, or of the first super_admin if none is given. @throws CommandError */
export const userIdOf = async ({ users }: KnownUsers, username: string | undefined): Promise<number> => {
  if (username === undefined) {
    const first = await users.firstSuperAdmin();
    if (first === undefined)
      throw new CommandError('there is no super_admin yet: start the service once, or name a user with --as');
    return first;
  }
  const id = await users.idByAccount(canonicalAccount(username));
  if (id === undefined) throw new CommandError(`there is no user ${username}`);
  return id;
};

/** A user on whose behalf a command works, as currently stored. */
export class ActingUser {
  readonly #identities: Identities;
  readonly #models: readonly string[];
  readonly #id: number;
  #identity: Identity;

  private constructor(identities: Identities, models: readonly string[], id: number, identity: Identity) {
    this.#identities = identities;
    this.#models = models;
    this.#id = id;
    this.#identity = identity;
  }

  /** Returns the user with this name, or the first super_admin if none is given. @throws CommandError */
  static async find(services: ActingParts, username: string | undefined): Promise<ActingUser> {
    const models = checkedModels([...services.resources.values()].map(({ model }) => model));
    const id = await userIdOf(services, username);
    const identity = await services.identities.byUserId(id, models);
    if (identity === undefined) throw new CommandError(`the user ${username ?? id} is disabled`);
    return new ActingUser(services.identities, models, id, identity);
  }

  get id(): number {
    return this.#id;
  }

  get username(): string {
    return this.#identity.username;
  }

  /** Reads roles and grants again, so that a revocation applies to the rest of the command. */
  async refresh(): Promise<void> {
    const identity = await this.#identities.byUserId(this.#id, this.#models);
    if (identity === undefined) throw new CommandError(`the user ${this.username} is disabled or gone`);
    this.#identity = identity;
  }

  /** Returns the grant of the user for an action. @throws CommandError if the policy refuses it */
  grant(resource: ServedResource, action: Action): Grant {
    const { model, context } = resource;
    try {
      return requireGrant(model, context, this.acting(resource, action), action);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const text = problemText(catalogueOf(context.locale), error);
      throw new CommandError(`${this.username}: ${text}`, { cause: error });
    }
  }

  /** The principal of a request by the user, with the first user method that the action accepts. */
  acting({ model }: ServedResource, action: Action): Acting {
    const methods = apiArea.auth(model, action);
    const method = methods.find((name) => !isOfApplications(name)) ?? defaultMethods[0];
    const principal = { ...this.#identity, method };
    return { principal, area: apiArea, actor: () => ({ principal, address: null }), depth: 0 };
  }
}
