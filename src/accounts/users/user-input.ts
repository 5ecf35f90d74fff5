/** Input of users, from administrators, code and the command line: fields, rules, and the values to be stored. */

import {
  canonicalAccount,
  emailViolation,
  maxEmailLength,
  maxUsernameLength,
  usernameViolation,
} from '../../auth/account.ts';
import { addressOf } from '../../auth/address.ts';
import { normalPassword } from '../../auth/password.ts';
import { type AccountNames, passwordViolation } from '../../auth/password-rules.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema, RuleViolation } from '../../fields/field.ts';
import { defaultKey } from '../../fields/keys.ts';
import { createInput, type Input, passwordSchema, refined, refuseInvalid } from '../../http/input.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../kernel/json.ts';
import type { Catalogue, Locale } from '../../kernel/messages.ts';
import { ViolationError } from '../../ledger/command.ts';
import type { RecordOwner } from './record-owners.ts';
import {
  type StoredUserFacts,
  TakenError,
  type UserChange,
  type UserKind,
  type UserStore,
  type UserValues,
  userKinds,
} from './store.ts';

/**
 * Characters of a person's name.
 * @limit Accounts and credentials | a person’s name | characters | 422
 */
export const maxName = 200;
/**
 * Roles that one user holds at most.
 * @limit Accounts and credentials | roles of a user | count | 422
 */
const maxRoles = 50;

/** A body that was read: the change without its password's hash, the new password, and every violated rule. */
export interface ReadUser {
  readonly change: Omit<UserChange, 'passwordHash'>;
  readonly password: string | undefined;
  /** The password of an administrator who changes their own. */
  readonly currentPassword: string | undefined;
  readonly kind: UserKind;
  /** The record that is to own a service account; the write checks that it is there. */
  readonly ownerRecord: RecordOwner | undefined;
  readonly sessionsEnd: boolean;
  readonly errors: readonly FieldError[];
}

const order = [
  'username',
  'email',
  'name',
  'kind',
  'owner_id',
  'owner',
  'invite',
  'password',
  'current_password',
  'roles',
  'disabled',
  'must_change_password',
  'end_sessions',
];

/** Inputs of passwords, which a service account does not have. */
const ofPasswords = ['password', 'invite', 'must_change_password'] as const;

/** The default address of a service account: a domain to which no mail can be sent (RFC 2606). */
export const noMailbox = (username: string): string => `${username}@service.invalid`;

/** The user of an update; `own` is true if the user sends it. */
export interface UpdatedUser extends StoredUserFacts {
  readonly own?: boolean;
}

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** A record as `{"model": "Company", "id": 2}` names it; undefined for everything else. */
export const recordOwnerOf = (value: Json | undefined): RecordOwner | undefined => {
  if (value === undefined || !isJsonObject(value) || Object.keys(value).length !== 2) return undefined;
  const [model, id] = [own(value, 'model'), own(value, 'id')];
  return typeof model === 'string' && defaultKey.is(id) ? { model, id } : undefined;
};

/** Schema of an input that names a record. */
export const recordOwnerSchema: JsonSchema = {
  type: ['object', 'null'],
  properties: { model: { type: 'string' }, id: { type: 'integer', minimum: 1 } },
  required: ['model', 'id'],
  additionalProperties: false,
};

const booleanOf = (value: Json | undefined): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

/**
 * The values of a new user. @param passwordHash empty for one without a password: an invited user, a service account
 */
export const newUserOf = ({ change, kind, ownerRecord }: ReadUser, passwordHash: string): UserValues => {
  const { username = '', usernameCanonical = '', email = '', emailCanonical = '' } = change;
  return {
    username,
    usernameCanonical,
    email,
    emailCanonical,
    passwordHash,
    name: change.name ?? username,
    disabled: change.disabled ?? false,
    mustChangePassword: change.mustChangePassword ?? false,
    roles: change.roles ?? ['viewer'],
    ownerId: change.ownerId,
    ownerRecord,
    kind,
  };
};

const toChange = (
  values: Readonly<Record<string, Json>>,
  roles: readonly string[] | undefined,
): ReadUser['change'] => {
  const username = textOf(values['username']);
  const email = textOf(values['email']);
  return {
    username,
    usernameCanonical: username === undefined ? undefined : canonicalAccount(username),
    email: email === undefined ? undefined : (addressOf(email) ?? email),
    emailCanonical: email === undefined ? undefined : canonicalAccount(email),
    name: textOf(values['name']),
    disabled: booleanOf(values['disabled']),
    mustChangePassword: booleanOf(values['must_change_password']),
    ownerId: typeof values['owner_id'] === 'number' ? values['owner_id'] : undefined,
    roles,
  };
};

/** The fields of each kind of body. */
const readersIn = (catalogue: Catalogue) => {
  const fields = {
    username: field.text({ required: true }),
    email: field.text({ required: true }),
    name: field.string({ required: false, max: maxName }),
    disabled: field.boolean(),
    must_change_password: field.boolean(),
    owner_id: field.integer({ min: 1 }),
  };
  const kind = { kind: field.enum(userKinds), owner: field.json() };
  const password = field.text({ required: true });
  const updated = { ...fields, current_password: field.text(), end_sessions: field.boolean() };
  const created = createInput({ ...fields, ...kind, invite: field.boolean(), password }, catalogue);
  const invited = createInput({ ...fields, ...kind, invite: field.boolean() }, catalogue);
  const service = createInput(
    { ...fields, ...kind, email: field.text(), invite: field.boolean(), password: field.text() },
    catalogue,
  );
  const input = createInput({ ...updated, password }, catalogue);
  const passwordless = createInput(updated, catalogue);
  return { created, invited, service, input, passwordless };
};

const schemasOf = ({ created, input }: ReturnType<typeof readersIn>, locale: Locale) => {
  const accounts = {
    username: { maxLength: maxUsernameLength, pattern: '^[^@]+$' },
    email: { maxLength: maxEmailLength, pattern: '^[^@]+@[^@]+$' },
    password: passwordSchema(locale),
  } as const;
  const roles = { items: { type: 'string' }, maxItems: maxRoles } as const;
  const { required: _none, ...changes } = input.schema;
  /** With `invite` the password may be absent. */
  const newUser = refined(created.schema, {
    ...accounts,
    roles: { type: ['array', 'null'], ...roles },
    owner: {
      ...recordOwnerSchema,
      description: 'the record that owns a service account, in place of a person',
    },
  });
  return {
    create: {
      ...newUser,
      required: ['username'],
      anyOf: [
        { required: ['email', 'password'] },
        { properties: { invite: { const: true } }, required: ['email', 'invite'] },
        { properties: { kind: { const: 'service' } }, required: ['kind', 'owner_id'] },
        { properties: { kind: { const: 'service' } }, required: ['kind', 'owner'] },
      ],
    },
    update: refined(changes, { ...accounts, roles: { type: 'array', minItems: 1, ...roles } }),
  };
};

/** Reads and checks the users that administrators, code and the command line make and change. */
export class UserForm {
  readonly #users: UserStore;
  readonly #readers: ReturnType<typeof readersIn>;
  readonly schemas: ReturnType<typeof schemasOf>;

  constructor(users: UserStore, catalogue: Catalogue) {
    this.#users = users;
    this.#readers = readersIn(catalogue);
    this.schemas = schemasOf(this.#readers, catalogue.locale);
  }

  /**
   * Runs a write. A name that was taken after the look-up, and a violation that only the write detects, are refused
   * with the same errors as earlier ones.
   */
  async save<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof TakenError)
        refuseInvalid(error.fields.map((name) => this.#readers.input.error(name, { rule: 'unique' })));
      if (!(error instanceof ViolationError)) throw error;
      const { field: name, ...violation } = error.violation;
      refuseInvalid([this.#readers.input.error(name, violation)]);
      throw error;
    }
  }

  /** The message of a current password that is not the user's. */
  wrongPassword(): FieldError {
    return this.#readers.input.error('current_password', { rule: 'wrong_password' });
  }

  async read(body: JsonObject, action: 'create' | 'update', stored?: UpdatedUser): Promise<ReadUser> {
    const { values: sentValues, errors } = this.#readerOf(body, action).read(body, action);
    const bad = new Set(errors.map((error) => error.field));
    const kindOf = stored?.kind ?? (sentValues['kind'] === 'service' ? 'service' : 'person');
    const { username, email } = sentValues;
    const isUnaddressed = action === 'create' && kindOf === 'service' && email == null;
    const values =
      isUnaddressed && typeof username === 'string'
        ? { ...sentValues, email: noMailbox(username) }
        : sentValues;
    const found = [...errors, ...(await this.#checkAccount(values, bad, stored?.id))];
    found.push(...(await this.#checkKind(values, bad, kindOf, action === 'create')));
    const wrong = new Set(found.map((error) => error.field));
    found.push(
      ...(await this.#checkPassword(values, wrong, stored)),
      ...this.#checkCurrent(values, wrong, stored),
    );
    const sent = own(body, 'roles');
    const roles = sent === undefined && action === 'update' ? undefined : await this.#readRoles(sent, action);
    if (roles !== undefined && 'rule' in roles) found.push(this.#readers.input.error('roles', roles));
    found.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
    return {
      change: toChange(values, roles === undefined || 'rule' in roles ? undefined : roles),
      password: textOf(values['password']),
      currentPassword: textOf(values['current_password']),
      kind: kindOf,
      ownerRecord: recordOwnerOf(values['owner']),
      sessionsEnd: values['end_sessions'] === true,
      errors: found,
    };
  }

  async #readRoles(
    sent: Json | undefined,
    action: 'create' | 'update',
  ): Promise<readonly string[] | RuleViolation> {
    if (sent === undefined || sent === null) return action === 'create' ? ['viewer'] : { rule: 'required' };
    if (!isTexts(sent)) return { rule: 'type', params: { type: 'array' } };
    if (sent.length === 0) return action === 'create' ? ['viewer'] : { rule: 'required' };
    if (sent.length > maxRoles) return { rule: 'max_length', params: { max: maxRoles } };
    return (await this.#users.unknownRoles(sent)).length > 0 ? { rule: 'role' } : [...new Set(sent)];
  }

  /** The rules of accounts, where the text itself was in order; then whether somebody else holds it. */
  async #checkAccount(
    values: Readonly<Record<string, Json>>,
    bad: ReadonlySet<string>,
    except: number | undefined,
  ): Promise<FieldError[]> {
    const errors: FieldError[] = [];
    const canonical: { username?: string; email?: string } = {};
    for (const name of ['username', 'email'] as const) {
      const value = values[name];
      if (typeof value !== 'string' || bad.has(name)) continue;
      const violation = name === 'username' ? usernameViolation(value) : emailViolation(value);
      if (violation === undefined) canonical[name] = canonicalAccount(value);
      else errors.push(this.#readers.input.error(name, violation));
    }
    for (const name of await this.#users.findTaken(canonical, except))
      errors.push(this.#readers.input.error(name, { rule: 'unique' }));
    return errors;
  }

  #readerOf(body: JsonObject, action: 'create' | 'update'): Input {
    const { service, invited, created, passwordless, input } = this.#readers;
    if (action === 'create' && own(body, 'kind') === 'service') return service;
    if (action === 'create')
      return own(body, 'invite') === true && own(body, 'password') === undefined ? invited : created;
    return own(body, 'password') === undefined ? passwordless : input;
  }

  /** A change of one's own password needs the current one too: a page left open must not be enough to take it over. */
  #checkCurrent(
    values: Readonly<Record<string, Json>>,
    bad: ReadonlySet<string>,
    stored: UpdatedUser | undefined,
  ): FieldError[] {
    const { password: next, current_password: current } = values;
    if (stored?.own !== true || typeof next !== 'string' || bad.has('current_password')) return [];
    if (typeof current !== 'string' || current === '')
      return [this.#readers.input.error('current_password', { rule: 'required' })];
    return normalPassword(current) === normalPassword(next)
      ? [this.#readers.input.error('password', { rule: 'same_password' })]
      : [];
  }

  /** The rules of a password, under the names that the account is going to have; a broken one is no name. */
  async #checkPassword(
    values: Readonly<Record<string, Json>>,
    bad: ReadonlySet<string>,
    stored: AccountNames | undefined,
  ): Promise<FieldError[]> {
    const password = values['password'];
    if (typeof password !== 'string' || bad.has('password')) return [];
    const nameOf = (name: keyof AccountNames): string => {
      const value = bad.has(name) ? undefined : values[name];
      return typeof value === 'string' ? value : (stored?.[name] ?? '');
    };
    const names = { username: nameOf('username'), email: nameOf('email'), name: nameOf('name') };
    const violation = await passwordViolation(password, names);
    return violation === undefined ? [] : [this.#readers.input.error('password', violation)];
  }

  /** Rules of service accounts: they have a person or a record as owner, and no input of passwords. */
  async #checkKind(
    values: Readonly<Record<string, Json>>,
    bad: ReadonlySet<string>,
    kindOf: UserKind,
    isNew: boolean,
  ): Promise<FieldError[]> {
    const { owner_id: owner, owner: record } = values;
    const { created } = this.#readers;
    if (record != null && !bad.has('owner') && recordOwnerOf(record) === undefined)
      return [created.error('owner', { rule: 'type', params: { type: 'object' } })];
    if (kindOf === 'person')
      return (['owner_id', 'owner'] as const)
        .filter((name) => values[name] != null)
        .map((name) => created.error(name, { rule: 'only_service_accounts' }));
    const errors = ofPasswords
      .filter((name) => typeof values[name] === 'string' || values[name] === true)
      .map((name) => this.#readers.input.error(name, { rule: 'service_account' }));
    if (bad.has('owner_id') || bad.has('owner') || (owner === undefined && !isNew)) return errors;
    if (record != null)
      return owner == null ? errors : [...errors, created.error('owner', { rule: 'one_owner' })];
    if (owner == null) return [...errors, this.#readers.input.error('owner_id', { rule: 'required' })];
    const isPerson = typeof owner === 'number' && (await this.#users.isEnabledPerson(owner));
    return isPerson ? errors : [...errors, this.#readers.input.error('owner_id', { rule: 'reference' })];
  }
}

export const createUserInput = (users: UserStore, catalogue: Catalogue): UserForm =>
  new UserForm(users, catalogue);
