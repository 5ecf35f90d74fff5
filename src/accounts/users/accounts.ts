/** Users for code of the application: scopes that act for a user, and the commands of administrators. */

import { canonicalAccount } from '../../auth/account.ts';
import type { Tokens } from '../../auth/jwt.ts';
import { type LinkPlace, linkPaths, linkUrl, newLinkToken } from '../../auth/link-token.ts';
import type { Passwords } from '../../auth/password.ts';
import type { Identities } from '../../auth/ports.ts';
import { defaultMethods } from '../../auth/registry.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Source } from '../../database/source.ts';
import { defaultKey } from '../../fields/keys.ts';
import { checkedModels } from '../../http/call.ts';
import { refuseInvalid } from '../../http/input.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import type { Models } from '../../model/models.ts';
import type { ManagedUser } from '../../model/related-user.ts';
import type { ManagedUsers, ReadableUsers, Scope, UserInput } from '../../model/scope.ts';
import type { Grant } from '../../policy/grant.ts';
import { createList, listedRows } from '../../records/list.ts';
import { createShow } from '../../records/show.ts';
import { publicUserEntity, userEntity } from '../../records/user-entity.ts';
import { apiArea } from '../../resources/area.ts';
import {
  type Acting,
  type AnyListQuery,
  bodyOf,
  queryString,
  relatedFor,
  type ServedResource,
  transactionOf,
} from '../../resources/operations.ts';
import type { InvitationStore } from '../invitations/store.ts';
import type { TokenStore } from '../sessions/tokens.ts';
import type { UserRemovals } from './removals.ts';
import type { UserStore } from './store.ts';
import { createUserInput, newUserOf, type UserForm } from './user-input.ts';

export interface AccountParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: UserStore;
  readonly removals: UserRemovals;
  readonly passwords: Passwords;
  readonly userTokens: TokenStore;
  readonly tokens: Tokens;
  readonly invitations: InvitationStore;
  readonly linkPlace: LinkPlace;
  readonly catalogue: Catalogue;
  readonly models: Models;
}

export interface UserScopeParts {
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly identities: Identities;
  readonly scopeOf: (acting: Acting) => Scope;
}

/**
 * A scope that acts for a user as a request with a token does; undefined where there is no enabled user with this id.
 */
export const scopeOfUser = async (
  { resources, identities, scopeOf }: UserScopeParts,
  id: number,
): Promise<Scope | undefined> => {
  const models = checkedModels([...resources.values()].map(({ model }) => model));
  const identity = await identities.byUserId(id, models);
  if (identity === undefined) return undefined;
  const principal = { ...identity, method: defaultMethods[0] };
  return scopeOf({ principal, area: apiArea, actor: () => ({ principal, address: null }), depth: 0 });
};

const readerOf = ({ database, clock }: AccountParts, entity: Source) => ({
  list: createList(database, entity, { clock }),
  show: createShow(database, entity, { clock }),
});

type UserReader = ReturnType<typeof readerOf>;

/** A scope of the system, and its actor for the audit log. */
interface SystemActing {
  readonly acting: Acting;
  readonly actor: () => Actor;
}

/** Users in code of the application: what callers read of them, and the commands of administrators for the system. */
class Accounts {
  readonly #services: AccountParts;
  readonly #input: UserForm;
  readonly #all: UserReader;
  readonly #shown: UserReader;

  constructor(services: AccountParts) {
    this.#services = services;
    this.#input = createUserInput(services.users, services.catalogue);
    this.#all = readerOf(services, userEntity);
    this.#shown = readerOf(services, publicUserEntity);
  }

  /** Reads users as a caller may see them. */
  readable(acting: Acting): ReadableUsers<ManagedUser> {
    return {
      list: (query) => this.#list(acting, query),
      find: (id) => this.#find(acting, id),
    };
  }

  /** The commands of administrators, for code that acts for the system. */
  managed(acting: Acting, reason: string): ManagedUsers {
    const system: SystemActing = { acting, actor: () => ({ ...acting.actor(), reason }) };
    return {
      ...this.readable(acting),
      findByAccount: (account) => this.#findByAccount(acting, account),
      create: (values) => this.#create(system, values),
      update: (id, values) => this.#update(system, id, values),
      invite: (invited) => this.#invite(system, invited),
      disable: (id) => this.#update(system, id, { disabled: true }),
      setPassword: (id, password) => this.#update(system, id, { password }),
      issueToken: (id) => this.#issueToken(system, id),
      remove: (id) => this.#remove(acting, id),
    };
  }

  #reader({ reason }: Acting): UserReader {
    return reason === undefined ? this.#shown : this.#all;
  }

  /** @throws Problem `forbidden` */
  #grant(acting: Acting): Grant {
    const found = relatedFor({ models: this.#services.models }, acting)('User')?.grant;
    if (found === undefined) throw new Problem('forbidden');
    return found;
  }

  async #list(acting: Acting, query: AnyListQuery = {}): Promise<ManagedUser[]> {
    const request = { query: queryString(query), path: '', by: acting.by, within: transactionOf(acting) };
    const listed = await this.#reader(acting).list(this.#grant(acting), request);
    return (await listedRows(listed)) as unknown as ManagedUser[];
  }

  async #find(acting: Acting, id: number): Promise<ManagedUser | undefined> {
    const options = { by: acting.by, within: transactionOf(acting) };
    const record = defaultKey.is(id)
      ? await this.#reader(acting).show(this.#grant(acting), id, [], options)
      : undefined;
    return record === undefined ? undefined : JSON.parse(record.json);
  }

  async #findByAccount(acting: Acting, account: string): Promise<ManagedUser | undefined> {
    const id = await this.#services.users.idByAccount(canonicalAccount(account), transactionOf(acting));
    return id === undefined ? undefined : this.#find(acting, id);
  }

  /** Runs a write in the transaction of the scope, and returns the user as it is then. */
  async #save(
    acting: Acting,
    write: (within: Transaction | undefined) => Promise<number>,
  ): Promise<ManagedUser> {
    const within = transactionOf(acting);
    const id = await this.#input.save(() => write(within));
    if (acting.shared !== undefined) acting.shared.writes += 1;
    const saved = await this.#find(acting, id);
    if (saved === undefined) throw new Problem('record_not_found');
    return saved;
  }

  async #create({ acting, actor }: SystemActing, values: UserInput): Promise<ManagedUser> {
    const { users, passwords } = this.#services;
    const sent = bodyOf(values);
    const invite = sent['password'] === undefined;
    const read = await this.#input.read({ ...sent, invite }, 'create');
    refuseInvalid(read.errors);
    const passwordHash = read.password === undefined ? '' : await passwords.hash(read.password);
    return this.#save(acting, (within) => users.create(newUserOf(read, passwordHash), actor(), within));
  }

  async #update(
    { acting, actor }: SystemActing,
    id: number,
    values: Partial<UserInput>,
  ): Promise<ManagedUser> {
    const { users, passwords } = this.#services;
    const stored = defaultKey.is(id) ? await users.factsOf(id, transactionOf(acting)) : undefined;
    if (stored === undefined) throw new Problem('record_not_found');
    const read = await this.#input.read(bodyOf(values), 'update', stored);
    const { change, password, sessionsEnd, errors } = read;
    refuseInvalid(errors);
    const passwordHash = password === undefined ? undefined : await passwords.hash(password);
    return this.#save(acting, async (within) => {
      await users.update(id, { ...change, passwordHash }, actor(), { sessionsEnd }, within);
      return id;
    });
  }

  async #invite(system: SystemActing, invited: number | UserInput): ReturnType<ManagedUsers['invite']> {
    const { invitations, linkPlace } = this.#services;
    const id = typeof invited === 'number' ? invited : (await this.#create(system, invited)).id;
    const within = transactionOf(system.acting);
    if (!defaultKey.is(id)) throw new Problem('record_not_found');
    const made = newLinkToken();
    const { expiresAt } = await invitations.create(id, made, system.actor(), within);
    return { id, url: linkUrl(linkPlace, linkPaths.invitation, made.token), expires_at: expiresAt };
  }

  async #remove(acting: Acting, id: number): Promise<void> {
    transactionOf(acting);
    if (!defaultKey.is(id)) throw new Problem('record_not_found');
    await this.#services.removals.remove(id, acting);
  }

  async #issueToken({ acting, actor }: SystemActing, id: number): ReturnType<ManagedUsers['issueToken']> {
    const { tokens, userTokens } = this.#services;
    const within = transactionOf(acting);
    if (!defaultKey.is(id)) throw new Problem('record_not_found');
    return tokens.issue(id, await userTokens.issueFor(id, actor(), within));
  }
}

export const createAccounts = (
  services: AccountParts,
): ((acting: Acting) => ReadableUsers | ManagedUsers) => {
  const accounts = new Accounts(services);
  return (acting) =>
    acting.reason === undefined ? accounts.readable(acting) : accounts.managed(acting, acting.reason);
};
