import { invitationUrl, newInvitation } from '../../auth/invitation.ts';
import type { Tokens } from '../../auth/jwt.ts';
import type { Passwords } from '../../auth/password.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Source } from '../../database/source.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isJsonObject, type JsonObject, toJson } from '../../kernel/json.ts';
import type { Locale } from '../../kernel/messages/catalogue.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Models } from '../../model/models.ts';
import type { ManagedUser } from '../../model/related-user.ts';
import type { ManagedUsers, ReadableUsers } from '../../model/scope.ts';
import { relatedFor } from '../../operations/area.ts';
import { isId } from '../../operations/record-id.ts';
import { type AnyListQuery, queryString } from '../../operations/scope-records.ts';
import { type Acting, assertOutside } from '../../operations/transaction.ts';
import type { Grant } from '../../policy/grant.ts';
import { createList, listedRows } from '../../records/list/list.ts';
import { createShow } from '../../records/show.ts';
import { publicUserEntity, userEntity } from '../../records/users.ts';
import type { Actor } from '../../service/audit/audit.ts';
import { ViolationError } from '../../service/command.ts';
import type { InvitationStore } from '../../service/invitations/invitations.ts';
import type { TokenStore } from '../../service/users/tokens.ts';
import { TakenError, type UserStore } from '../../service/users/users.ts';
import { createUserInput } from '../admin/user-input.ts';
import { refuseInvalid } from '../input.ts';

export interface AccountServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: UserStore;
  readonly passwords: Passwords;
  readonly userTokens: TokenStore;
  readonly tokens: Tokens;
  readonly invitations: InvitationStore;
  readonly baseUrl: string;
  readonly locale: Locale;
  readonly models: Models;
}

/** The transaction of a scope, in which its operations take part. */
const transactionOf = ({ shared }: Acting): Transaction | undefined => {
  if (shared === undefined) assertOutside();
  shared?.assertNotRefused();
  return shared?.transaction;
};

const bodyOf = (values: unknown): JsonObject => {
  const body = toJson(values);
  if (!isJsonObject(body)) throw new Problem('not_an_object');
  return body;
};

/** Users in code of the application: what callers read of them, and the commands of administrators for the system. */
export const createAccounts = (
  services: AccountServices,
): ((acting: Acting) => ReadableUsers | ManagedUsers) => {
  const { database, clock, users, passwords, userTokens, tokens, invitations, locale, models } = services;
  const input = createUserInput(users, locale);
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
      try {
        const id = await write(within);
        if (acting.shared !== undefined) acting.shared.writes += 1;
        const saved = await find(id);
        if (saved === undefined) throw new Problem('record_not_found');
        return saved;
      } catch (error) {
        if (error instanceof TakenError) refuseInvalid(error.fields.map(input.taken));
        if (error instanceof ViolationError) refuseInvalid([input.broken(error.violation)]);
        throw error;
      }
    };

    const create: ManagedUsers['create'] = async (values) => {
      const sent = bodyOf(values);
      const invite = sent['password'] === undefined;
      const { change, password, kind, errors } = await input.read({ ...sent, invite }, 'create');
      refuseInvalid(errors);
      const { username = '', usernameCanonical = '', email = '', emailCanonical = '' } = change;
      const passwordHash = password === undefined ? '' : await passwords.hash(password);
      const { ownerId, ...rest } = change;
      const written = {
        ...{ name: username, disabled: false, mustChangePassword: false, roles: ['viewer'], ...rest },
        ...{ username, usernameCanonical, email, emailCanonical, passwordHash, kind },
        ...(ownerId === undefined ? {} : { ownerId }),
      };
      return saving((within) => users.create(written, actor(), within));
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
      const { token, hash } = newInvitation();
      const expires = await invitations.create(id, hash, actor(), within);
      return { id, url: invitationUrl(services.baseUrl, token), expires_at: expires };
    };

    return {
      list,
      find,
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
