/** Users for code of the application: scopes that act for a user, and the commands of administrators. */

import { canonicalAccount } from '../../auth/account.ts';
import type { Tokens } from '../../auth/jwt.ts';
import { invitationPath, linkUrl, newLinkToken } from '../../auth/link-token.ts';
import type { Passwords } from '../../auth/password.ts';
import type { Identities } from '../../auth/ports.ts';
import { defaultMethods } from '../../auth/registry.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Source } from '../../database/source.ts';
import { checkedModels } from '../../http/call.ts';
import { refuseInvalid } from '../../http/input.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import type { Models } from '../../model/models.ts';
import type { ManagedUser } from '../../model/related-user.ts';
import type { ManagedUsers, ReadableUsers, Scope } from '../../model/scope.ts';
import type { Grant } from '../../policy/grant.ts';
import { createList, listedRows } from '../../records/list.ts';
import { createShow } from '../../records/show.ts';
import { publicUserEntity, userEntity } from '../../records/user-entity.ts';
import { apiArea } from '../../resources/area.ts';
import {
  type Acting,
  type AnyListQuery,
  bodyOf,
  isId,
  queryString,
  relatedFor,
  type ServedResource,
  transactionOf,
} from '../../resources/operations.ts';
import type { InvitationStore } from '../invitations/store.ts';
import type { TokenStore } from '../sessions/tokens.ts';
import type { UserStore } from './store.ts';
import { createUserInput, newUserOf } from './user-input.ts';

export interface AccountParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: UserStore;
  readonly passwords: Passwords;
  readonly userTokens: TokenStore;
  readonly tokens: Tokens;
  readonly invitations: InvitationStore;
  readonly baseUrl: string;
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

/** Users in code of the application: what callers read of them, and the commands of administrators for the system. */
export const createAccounts = (
  services: AccountParts,
): ((acting: Acting) => ReadableUsers | ManagedUsers) => {
  const { database, clock, users, passwords, userTokens, tokens, invitations, catalogue, models } = services;
  const input = createUserInput(users, catalogue);
  const sourceOf = (entity: Source) => ({
    list: createList(database, entity, { clock }),
    show: createShow(database, entity, { clock }),
  });
  const [all, shown] = [sourceOf(userEntity), sourceOf(publicUserEntity)];

  const readable = (acting: Acting) => {
    const source = acting.reason === undefined ? shown : all;
    const grant = (): Grant => {
      const found = relatedFor({ models }, acting)('User')?.grant;
      if (found === undefined) throw new Problem('forbidden');
      return found;
    };
    const list = async (query: AnyListQuery = {}): Promise<ManagedUser[]> => {
      const request = { query: queryString(query), path: '', by: acting.by, within: transactionOf(acting) };
      return (await listedRows(await source.list(grant(), request))) as unknown as ManagedUser[];
    };
    const find = async (id: number): Promise<ManagedUser | undefined> => {
      const within = transactionOf(acting);
      const record = isId(id) ? await source.show(grant(), id, [], { by: acting.by, within }) : undefined;
      return record === undefined ? undefined : JSON.parse(record.json);
    };
    return { list, find };
  };

  const managed = (acting: Acting, reason: string): ManagedUsers => {
    const { list, find } = readable(acting);
    const actor = (): Actor => ({ ...acting.actor(), reason });

    /** Runs a write in the transaction of the scope, and returns the user as it is then. */
    const saving = async (
      write: (within: Transaction | undefined) => Promise<number>,
    ): Promise<ManagedUser> => {
      const within = transactionOf(acting);
      const id = await input.saving(() => write(within));
      if (acting.shared !== undefined) acting.shared.writes += 1;
      const saved = await find(id);
      if (saved === undefined) throw new Problem('record_not_found');
      return saved;
    };

    const findByAccount: ManagedUsers['findByAccount'] = async (account) => {
      const id = await users.idByAccount(canonicalAccount(account), transactionOf(acting));
      return id === undefined ? undefined : find(id);
    };

    const create: ManagedUsers['create'] = async (values) => {
      const sent = bodyOf(values);
      const invite = sent['password'] === undefined;
      const read = await input.read({ ...sent, invite }, 'create');
      refuseInvalid(read.errors);
      const passwordHash = read.password === undefined ? '' : await passwords.hash(read.password);
      return saving((within) => users.create(newUserOf(read, passwordHash), actor(), within));
    };

    const update: ManagedUsers['update'] = async (id, values) => {
      const stored = isId(id) ? await users.factsOf(id, transactionOf(acting)) : undefined;
      if (stored === undefined) throw new Problem('record_not_found');
      const { change, password, sessionsEnd, errors } = await input.read(bodyOf(values), 'update', stored);
      refuseInvalid(errors);
      const hash = password === undefined ? {} : { passwordHash: await passwords.hash(password) };
      return saving(async (within) => {
        await users.update(id, { ...change, ...hash }, actor(), { sessionsEnd }, within);
        return id;
      });
    };

    const invite: ManagedUsers['invite'] = async (invited) => {
      const id = typeof invited === 'number' ? invited : (await create(invited)).id;
      const within = transactionOf(acting);
      if (!isId(id)) throw new Problem('record_not_found');
      const made = newLinkToken();
      const { expiresAt } = await invitations.create(id, made, actor(), within);
      return { id, url: linkUrl(services.baseUrl, invitationPath, made.token), expires_at: expiresAt };
    };

    return {
      list,
      find,
      findByAccount,
      create,
      update,
      invite,
      disable: (id) => update(id, { disabled: true }),
      setPassword: (id, password) => update(id, { password }),
      issueToken: async (id) => {
        const within = transactionOf(acting);
        if (!isId(id)) throw new Problem('record_not_found');
        return tokens.issue(id, await userTokens.issueFor(id, actor(), within));
      },
    };
  };

  return (acting) => (acting.reason === undefined ? readable(acting) : managed(acting, acting.reason));
};
