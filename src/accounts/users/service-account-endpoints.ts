/** Service accounts that users make: of their own, or of a record that they manage. */

import { canonicalAccount } from '../../auth/account.ts';
import type { UserPrincipal } from '../../auth/principal.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { recordNumber } from '../../database/record-column.ts';
import { timeText } from '../../database/source.ts';
import { type Fragment, literal, own, sql, statement } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { field } from '../../fields/define.ts';
import { defaultKey } from '../../fields/keys.ts';
import { actorOf, userOf } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refined, refuseInvalid } from '../../http/input.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Change } from '../../ledger/context.ts';
import { isAdministrator } from '../../policy/rule.ts';
import { invalidParameter, parseQueryString } from '../../records/list.ts';
import type { ServedResource } from '../../resources/operations.ts';
import { freeUsername, usernameOfName } from './made-username.ts';
import { type RecordOwner, RecordOwners } from './record-owners.ts';
import type { UserStore } from './store.ts';
import { maxName, noMailbox, recordOwnerOf, recordOwnerSchema } from './user-input.ts';

/**
 * Enabled service accounts that one person or one record owns at most.
 * @limit Accounts and credentials | service accounts of one owner, made by users | count | 422 `too_many`
 */
const maxAccounts = 20;

/** The role of these accounts, which their makers have themselves. */
const role = 'viewer';

export interface ServiceAccountParts {
  readonly database: Database;
  readonly users: UserStore;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly catalogue: Catalogue;
}

type Owner = { readonly person: number } | { readonly record: RecordOwner };

const { integer, text, boolean, time, timeOrNull } = valueSchemas;

const keySchema = objectSchema('ServiceAccountKey', {
  id: integer,
  name: text,
  key_prefix: text,
  expires_at: timeOrNull,
  created_at: time,
});

const accountSchema = objectSchema('ServiceAccount', {
  id: integer,
  username: text,
  name: text,
  owner_id: { type: ['integer', 'null'], description: 'The person who owns it; null for one of a record' },
  owner: {
    ...recordOwnerSchema,
    description: 'The record that owns it; null for one of a person',
  },
  disabled: boolean,
  created_at: time,
  keys: { type: 'array', items: keySchema },
});

interface AccountRow {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly owner_id: number | null;
  readonly owner_model: string | null;
  readonly owner_record: number | null;
  readonly disabled: boolean | number;
  readonly created_at: string;
}

interface KeyRow {
  readonly id: number;
  readonly user_id: number;
  readonly name: string;
  readonly key_prefix: string;
  readonly expires_at: string | null;
  readonly created_at: string;
}

type OwnerValues = { readonly model: string | null; readonly id: number };

/** The condition on users that are accounts of an owner; a person is one without a model. */
const ofOwner = (isPerson: boolean, value: (name: 'model' | 'id') => Fragment): Fragment =>
  isPerson
    ? sql`u.kind = 'service' and u.owner_id = ${value('id')}`
    : sql`u.kind = 'service' and u.owner_record = ${value('id')} and u.owner_model = ${value('model')}`;

const valuesOf = (owner: Owner): OwnerValues =>
  'person' in owner
    ? { model: null, id: owner.person }
    : { model: owner.record.model, id: recordNumber(owner.record.id) };

/** Reads and makes the accounts of an owner. */
class OwnedAccounts {
  readonly #parts: ServiceAccountParts;

  constructor(parts: ServiceAccountParts) {
    this.#parts = parts;
  }

  /** The accounts of an owner with their keys; only the one with this id, if it is given. */
  async list(owner: Owner, only?: number): Promise<readonly JsonObject[]> {
    const { database } = this.#parts;
    const { dialect } = database;
    const isPerson = 'person' in owner;
    const created = (row: 'u' | 'k') =>
      timeText(dialect, row === 'u' ? sql`u.created_at` : sql`k.created_at`);
    const accounts = statement<OwnerValues>(
      dialect,
      (value) => sql`select u.id, u.username, u.name, u.owner_id, u.owner_model, u.owner_record, u.disabled,
          ${created('u')} as created_at
        from ${own('users')} u where ${ofOwner(isPerson, value)} order by u.id`,
    );
    const keys = statement<OwnerValues>(
      dialect,
      (value) => sql`select k.id, k.user_id, k.name, k.key_prefix,
          ${timeText(dialect, sql`k.expires_at`)} as expires_at, ${created('k')} as created_at
        from ${own('users')} u join ${own('api_keys')} k on k.user_id = u.id where ${ofOwner(isPerson, value)} order by k.id`,
    );
    const [rows, held] = await Promise.all([
      database.all<AccountRow>(accounts(valuesOf(owner))),
      database.all<KeyRow>(keys(valuesOf(owner))),
    ]);
    return rows
      .filter(({ id }) => only === undefined || Number(id) === only)
      .map(({ owner_model: model, owner_record: record, disabled, ...row }) => ({
        ...row,
        owner: model === null || record === null ? null : { model, id: Number(record) },
        disabled: Boolean(disabled),
        keys: held.flatMap(({ user_id, ...key }) => (user_id === row.id ? { ...key } : [])),
      }));
  }

  /** Refuses one more account. The owner is locked, so that two requests do not both make the last one. */
  async isFull(owner: Owner, within: Transaction): Promise<boolean> {
    const { dialect } = this.#parts.database;
    const lock = statement<{ id: number }>(
      dialect,
      (value) => sql`select id from ${own('users')} where id = ${value('id')}${dialect.updateLock}`,
    );
    if ('person' in owner) await within.get(lock({ id: owner.person }));
    const count = statement<OwnerValues>(
      dialect,
      (value) => sql`select count(*) as total from ${own('users')} u
        where ${ofOwner('person' in owner, value)} and u.disabled = ${literal(false)}`,
    );
    const row = await within.get<{ total: number | string }>(count(valuesOf(owner)));
    return Number(row?.total ?? 0) >= maxAccounts;
  }

  async add(owner: Owner, name: string, call: Call, within: Transaction): Promise<number> {
    const { database, users } = this.#parts;
    const made: Pick<Change, 'transaction' | 'tables'> = { transaction: within, tables: tablesOf(database) };
    const username = await freeUsername(made, usernameOfName(name));
    const email = noMailbox(username);
    return users.create(
      {
        username,
        usernameCanonical: canonicalAccount(username),
        email,
        emailCanonical: canonicalAccount(email),
        name,
        passwordHash: '',
        disabled: false,
        roles: [role],
        kind: 'service',
        ownerId: 'person' in owner ? owner.person : undefined,
        ownerRecord: 'record' in owner ? owner.record : undefined,
      },
      actorOf(call),
      within,
    );
  }
}

const path = '/api/v1/service_accounts';
const common = { path, auth: ['jwt'], policy: { kind: 'user' } } as const;

/** True if the role of the account adds nothing to the rights of its maker. */
const mayMake = (user: UserPrincipal): boolean => isAdministrator(user) || user.roles.includes(role);

const createEndpoint = (
  parts: ServiceAccountParts,
  accounts: OwnedAccounts,
  owners: RecordOwners,
): Endpoint => {
  const input = createInput(
    {
      name: field.string({ required: true, max: maxName }),
      owner_id: field.integer({ min: 1 }),
      owner: field.json(),
    },
    parts.catalogue,
  );
  /** The owner that the body names. @throws Problem `invalid_record` */
  const read = (call: Call): { readonly name: string; readonly owner: Owner } => {
    const { values, errors } = input.read(call.body);
    const { owner_id: person, owner, name } = values;
    const found = [...errors];
    const self = userOf(call).id;
    const record = recordOwnerOf(owner);
    if (owner != null && record === undefined)
      found.push(input.error('owner', { rule: 'type', params: { type: 'object' } }));
    else if (owner != null && person != null) found.push(input.error('owner', { rule: 'one_owner' }));
    if (person != null && person !== self && !found.some((each) => each.field === 'owner_id'))
      found.push(input.error('owner_id', { rule: 'reference' }));
    refuseInvalid(found);
    return { name: String(name), owner: record === undefined ? { person: self } : { record } };
  };
  return {
    ...common,
    grantsOn: owners.grantsOn,
    operation: 'createServiceAccount',
    method: 'POST',
    accepts: 'json',
    bodyKey: 'service_account',
    input: refined(input.schema, { owner: recordOwnerSchema }),
    status: 201,
    docs: {
      summary: { 'zh-CN': '创建服务账号', en: 'Create a service account' },
      description: {
        'zh-CN':
          '`owner` 为调用者可管理（模型的 `manage` 规则）的记录，不给出时账号属于调用者自己。账号没有密码，角色为 `viewer`，调用者须有该角色；用户名由名称生成。可管理该记录的人创建、轮换和删除其密钥；记录删除后，账号停用，密钥失效。',
        en: '`owner` is a record that the caller manages (the rule `manage` of its model); without one the account belongs to the caller. The account has no password, and the role `viewer`, which the caller needs as well; its username is made from the name. Callers who manage the record make, rotate and delete its keys. When the record is deleted, the account is disabled, and its keys end.',
      },
      tag: 'API keys',
      data: accountSchema,
      problems: ['forbidden'],
    },
    handle: async (call) => {
      const { name, owner } = read(call);
      if (!mayMake(userOf(call))) throw new Problem('forbidden');
      const id = await parts.database.write(async (within) => {
        if ('record' in owner && !(await owners.manages(actorOf(call), owner.record, within)))
          refuseInvalid([input.error('owner', { rule: 'reference' })]);
        if (await accounts.isFull(owner, within))
          refuseInvalid([input.error('name', { rule: 'too_many', params: { max: maxAccounts } })]);
        return accounts.add(owner, name, call, within);
      });
      const [data] = await accounts.list(owner, id);
      return { data: data ?? {} };
    },
  };
};

const listEndpoint = (accounts: OwnedAccounts, owners: RecordOwners): Endpoint => {
  const ownerIn = (call: Call): Owner => {
    const query = parseQueryString(call.query);
    const unknown = query.find(({ name }) => name !== 'owner_model' && name !== 'owner_id');
    if (unknown !== undefined) throw invalidParameter(unknown.name);
    const sent = (wanted: string) => query.find(({ name }) => name === wanted)?.value;
    const [model, id] = [sent('owner_model'), sent('owner_id')];
    if (model === undefined && id === undefined) return { person: userOf(call).id };
    const record = defaultKey.parse(id ?? '');
    if (record === undefined) throw invalidParameter('owner_id');
    if (model === undefined) throw invalidParameter('owner_model');
    return { record: { model, id: record } };
  };
  return {
    ...common,
    grantsOn: owners.grantsOn,
    operation: 'listServiceAccounts',
    method: 'GET',
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '服务账号及其密钥', en: 'List service accounts with their keys' },
      description: {
        'zh-CN':
          '调用者自己的服务账号；给出 `owner_model` 与 `owner_id` 时为该记录的服务账号，调用者须可管理它（否则 404）。',
        en: 'Those of the caller; with `owner_model` and `owner_id` those of a record, which the caller has to manage (404 otherwise).',
      },
      tag: 'API keys',
      query: [
        {
          name: 'owner_model',
          description: { 'zh-CN': '记录的模型', en: 'Model of the record' },
          schema: text,
        },
        {
          name: 'owner_id',
          description: { 'zh-CN': '记录的 id', en: 'Id of the record' },
          schema: integer,
        },
      ],
      data: { type: 'array', items: accountSchema },
      problems: ['record_not_found', 'invalid_parameter'],
    },
    handle: async (call) => {
      const owner = ownerIn(call);
      if ('record' in owner && !(await owners.manages(actorOf(call), owner.record)))
        throw new Problem('record_not_found');
      return { data: [...(await accounts.list(owner))] };
    },
  };
};

/** Endpoints of service accounts of one's own, and of records that one manages. */
export const serviceAccountEndpoints = (parts: ServiceAccountParts): Endpoint[] => {
  const [accounts, owners] = [new OwnedAccounts(parts), new RecordOwners(parts.resources)];
  return [listEndpoint(accounts, owners), createEndpoint(parts, accounts, owners)];
};
