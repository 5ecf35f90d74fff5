/**
 * Commands that create, change, rotate, find and delete API keys: for administrators on all keys, for users on their
 * own.
 */

import { sql as raw } from 'kysely';
import { hashKey, keyPrefixLength, newKey } from '../../auth/api-key.ts';
import { maxRequests } from '../../auth/rate-limit.ts';
import { timeText } from '../../database/source.ts';
import { literal, own, sql, statement, toQuery } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { parseTimestamp, toTimestamp } from '../../kernel/clock.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import {
  type Changed,
  type CommandCall,
  type CommandResult,
  defineEntityCommand,
  type EntityCommand,
  insertedId,
  ViolationError,
} from '../../ledger/command.ts';
import { actingUserId, type Change, otherUserId } from '../../ledger/context.ts';
import { defaultOverlapSeconds, overlapField } from '../../ledger/overlap.ts';
import type { CheckedInput } from '../../model/job.ts';
import { always, computed, schemaOf } from '../../records/entity.ts';
import type { NotifyUser } from '../users/user-notices.ts';
import { findSecrets } from './known-secrets.ts';
import {
  noRestrictions,
  refineKey,
  restrictionsShown,
  restrictionViolations,
  type StoredRestrictions,
  shownRestrictions,
  storedRestrictions,
} from './restrictions.ts';
import { revokeKey } from './revoked-keys.ts';
import { lockGrantedKey, type ManagesOwner, rotatedKey, rotateKey } from './rotation.ts';
import { markSecrets, storedHash } from './stored-hash.ts';

/** Fields of a new key, for every command that creates one. */
export const keyFieldDefinitions = {
  name: field.string({ required: true, max: 100 }),
  expires_at: field.datetime(),
  scopes: field.json(),
  networks: field.json(),
  limit: field.json(),
  quota: field.integer({ min: 1, max: maxRequests }),
} as const;

type KeyValues = CheckedInput<typeof keyFieldDefinitions>;

export interface NewKey {
  readonly userId: number;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  /** Milliseconds since the epoch; null: never expires. */
  readonly expiresAt: number | null;
  readonly restrictions?: Partial<StoredRestrictions>;
}

const timestampOrNull = (time: number | null): string | null => (time === null ? null : toTimestamp(time));

/** The end of a key in the input; null: never expires. */
const endOf = (value: string | null | undefined): number | null =>
  typeof value === 'string' ? (parseTimestamp(value) ?? null) : null;

/** Stores the hash of a key, never the key itself. Returns its id. */
export const addKey = async (change: Change, key: NewKey): Promise<Changed<number>> => {
  const { userId, name } = key;
  const restrictions = { ...noRestrictions, ...key.restrictions };
  const expires = timestampOrNull(key.expiresAt);
  const insert = change.tables
    .insertInto('api_keys')
    .values({
      user_id: userId,
      name,
      key_hash: storedHash(key.hash, restrictions),
      key_prefix: key.prefix,
      expires_at: expires,
      ...restrictions,
      created_at: change.at,
      last_used_at: null,
      created_by: otherUserId(change.actor, userId),
    })
    .returning('id');
  const id = await insertedId(change, insert);
  const target = { kind: 'api_key', id, name };
  return {
    audit: {
      action: 'key.create',
      target,
      detail: { user_id: userId, expires_at: expires, ...restrictionsShown(restrictions) },
    },
    result: id,
  };
};

/** Schema of a response with a whole key. */
const wholeKeySchema = (title: string, more: Parameters<typeof schemaOf>[1] = {}): JsonSchema => {
  const schema = schemaOf(title, {
    id: field.integer(always),
    name: field.string(always),
    key: computed(field.string(always), { schema: { type: 'string', pattern: '^[0-9a-f]{64}$' } }),
    expires_at: field.datetime(),
    created_at: field.datetime(always),
    ...more,
  });
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return { ...schema, properties: { ...properties, ...shownRestrictions } };
};

/** Creates a key for a user. Returns it in full, this once. An `expires_at` in the past creates an expired key. */
export const issueKey = async (change: Change, userId: number, values: KeyValues) => {
  const { name, expires_at: end } = values;
  const restrictions = { ...noRestrictions, ...storedRestrictions(values) };
  const key = newKey();
  const expiresAt = endOf(end);
  const hash = hashKey(key);
  const prefix = key.slice(0, keyPrefixLength);
  const made = { userId, name, hash, prefix, expiresAt, restrictions };
  const { audit = [], result: id } = await addKey(change, made);
  const times = { expires_at: timestampOrNull(expiresAt), created_at: change.at };
  const result = { id, name, key, ...times, ...restrictionsShown(restrictions) };
  return { audit, result };
};

/** Dependencies of the commands that create keys. */
export interface KeyCommandParts {
  /** The scopes of the service. */
  readonly known: ReadonlySet<string>;
  readonly notify: NotifyUser;
}

const showNewKey = async (
  call: CommandCall<KeyValues>,
  userId: number,
  notify: NotifyUser,
): Promise<CommandResult> => {
  const { audit, result } = await issueKey(call, userId, call.values);
  const notice = { template: 'account_changed', change: 'key_created', changed: result.name } as const;
  await notify(call, userId, notice);
  return { audit, data: result };
};

const creation = {
  verb: 'create',
  bodyKey: 'api_key',
  data: wholeKeySchema('NewApiKey'),
  message: 'keyCreated',
} as const;

const createKey = ({ known, notify }: KeyCommandParts) =>
  defineEntityCommand({
    ...creation,
    refine: refineKey(known),
    operation: 'adminCreateApiKey',
    summary: { 'zh-CN': '为用户创建 API 密钥', en: 'Create an API key for a user' },
    description: {
      'zh-CN': '密钥以该用户的身份与权限行事。完整密钥仅在此响应中返回一次。',
      en: 'The key acts as this user, with the rights of the user. Only this response contains the full key.',
    },
    form: true,
    input: { ...keyFieldDefinitions, user_id: field.integer({ required: true, min: 1 }) },
    // The user may be deleted between the look-up and the write.
    constraints: { foreign_key: { field: 'user_id', rule: 'reference' } },
    check: async ({ user_id: id, ...values }, { reader, tables }) => {
      const violations = restrictionViolations(values, known);
      if (id === undefined) return violations;
      const user = await reader.get(toQuery(tables.selectFrom('users').select('id').where('id', '=', id)));
      return user === undefined ? [...violations, { field: 'user_id', rule: 'reference' }] : violations;
    },
    run: (call) => showNewKey(call, call.values.user_id, notify),
  });

interface ChangeableKey extends StoredRestrictions {
  readonly name: string;
  readonly expires_at: string | null;
}

/** The values that a change sets; an undefined one stays. */
type KeyChange = { readonly [Name in keyof ChangeableKey]?: ChangeableKey[Name] | undefined };

const changedFields = ['name', 'expires_at', 'scopes', 'networks', 'limit', 'quota'] as const;

/** Stored values of a key for the audit log, of the fields that `named` has; JSON as its value. */
const auditedKey = (stored: KeyChange, named: KeyChange = stored): JsonObject =>
  Object.fromEntries(
    changedFields
      .filter((field) => named[field] !== undefined)
      .map((field) => {
        const value = stored[field] ?? null;
        const isJson = field === 'scopes' || field === 'networks' || field === 'limit';
        return [field, isJson && typeof value === 'string' ? (JSON.parse(value) as Json) : value];
      }),
  );

/** Returns the sent values that differ from the stored ones; JSON is compared by its value. */
const differences = (stored: KeyChange, sent: KeyChange): KeyChange => {
  const [before, after] = [auditedKey(stored, sent), auditedKey(sent)];
  const differs = ([name]: readonly [string, unknown]): boolean =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return Object.fromEntries(Object.entries(sent).filter(differs));
};

const updateKey = (known: ReadonlySet<string>) =>
  defineEntityCommand({
    verb: 'update',
    operation: 'adminUpdateApiKey',
    summary: {
      'zh-CN': '修改 API 密钥的名称、过期时间、权限范围、网段、限速或配额',
      en: 'Change the name, expiry, scopes, networks, limit or quota of an API key',
    },
    description: {
      'zh-CN':
        '`expires_at` 为 null 即永不过期，已过去的时间使密钥立即失效。已过期的密钥不能延期：409（40909）。',
      en: '`expires_at: null` removes its expiry; a past time expires it at once. An expired key is not extended: 409 (40909).',
    },
    bodyKey: 'api_key',
    form: true,
    input: keyFieldDefinitions,
    refine: refineKey(known),
    problems: ['record_not_found', 'key_expired'],
    check: async (values) => restrictionViolations(values, known),
    // An expired key stays expired: its owner let it run out and need not expect it to work again.
    run: async (change) => {
      const { transaction, tables, dialect, at, id, values } = change;
      const find = tables
        .selectFrom('api_keys')
        .select(['name', 'user_id', 'quota'])
        .select((eb) => [
          eb.case().when('expires_at', '<=', at).then(eb.lit(1)).else(eb.lit(0)).end().as('expired'),
          eb.cast<string | null>('scopes', 'text').as('scopes'),
          eb.cast<string | null>('networks', 'text').as('networks'),
          eb.cast<string | null>('limit', 'text').as('limit'),
        ])
        .select(raw<string | null>`${timeText(dialect, raw`expires_at`)}`.as('expires_at'))
        .where('id', '=', id);
      type Stored = StoredRestrictions & {
        readonly expires_at: string | null;
        readonly name: string;
        readonly user_id: number;
        readonly expired: number;
      };
      const before = await transaction.get<Stored>(toQuery(find));
      if (before === undefined) throw new Problem('record_not_found');
      const { name, expires_at: end } = values;
      if (end !== undefined && Number(before.expired) === 1) throw new Problem('key_expired');
      const expires_at = end === undefined ? undefined : timestampOrNull(endOf(end));
      const sent = { name, expires_at, ...storedRestrictions(values) };
      const changed = differences(before, sent);
      if (Object.keys(changed).length === 0) return {};
      await transaction.run(toQuery(tables.updateTable('api_keys').set(changed).where('id', '=', id)));
      await markSecrets(change, id);
      const target = { kind: 'api_key', id, name: name ?? before.name };
      const detail = { user_id: before.user_id, ...auditedKey(changed), before: auditedKey(before, changed) };
      return { audit: { action: 'key.update', target, detail } };
    },
  });

/** Deletes a key of the grant. */
const removeKey = async (call: CommandCall<object>, manages?: ManagesOwner) => ({
  audit: await revokeKey(call, await lockGrantedKey(call, call.id, call.grant, manages)),
});

type RotationCall = CommandCall<{ readonly overlap?: number | null }>;

const rotateGranted = async (call: RotationCall, manages?: ManagesOwner) => {
  const stored = await lockGrantedKey(call, call.id, call.grant, manages);
  const overlap = call.values.overlap ?? defaultOverlapSeconds;
  const { audit, ...rotated } = await rotateKey(call, stored, overlap);
  return { audit, data: rotatedKey(stored, rotated) };
};

const rotation = {
  verb: 'rotate',
  summary: { 'zh-CN': '轮换 API 密钥', en: 'Rotate an API key' },
  description: {
    'zh-CN':
      '返回新密钥，仅此一次。`overlap` 秒（默认 86400，最多 30 天，0 为立即失效）内旧密钥仍然有效；重叠期内再次轮换时，更早的密钥立即失效。id、名称、用量、权限范围、网段、限速、配额与过期时间不变。已过期的密钥不能轮换：409（40909）。',
    en: 'Returns the new key, this once. The old one stays valid for `overlap` seconds (default 86400, at most 30 days, 0: it ends at once). A second rotation within the overlap ends the older one at once. Id, name, usage, scopes, networks, limit, quota and expiry stay. An expired key is not rotated: 409 (40909).',
  },
  input: { overlap: overlapField },
  data: wholeKeySchema('RotatedApiKey', {
    previous_until: computed(field.datetime(), {
      note: 'from when on the old key is refused; null: from now on',
    }),
  }),
  message: 'keyRotated',
  problems: ['record_not_found', 'key_expired'],
  run: (call: RotationCall) => rotateGranted(call),
} as const;

const rotateAnyKey = defineEntityCommand({ ...rotation, operation: 'adminRotateApiKey' });

const deleteKey = defineEntityCommand({
  verb: 'remove',
  operation: 'adminDeleteApiKey',
  summary: { 'zh-CN': '删除任意 API 密钥', en: 'Delete any API key' },
  description: {
    'zh-CN': '立即失效，无论属于谁。',
    en: 'It stops working at once. Keys of all users can be deleted here.',
  },
  problems: ['record_not_found'],
  run: (call) => removeKey(call),
});

const foundKeySchema: JsonSchema = schemaOf('FoundApiKey', {
  id: field.integer(always),
  name: field.string(always),
  user_id: field.integer(always),
  username: field.string(always),
  status: computed(field.enum(['active', 'expired', 'replaced', 'revoked'], always), {
    note: 'of what was sent: `replaced` by a rotation whose overlap has ended, `revoked` with its key',
  }),
  revoked_at: computed(field.datetime(), { note: 'null for a key that was not revoked' }),
});

/** Looks for a key by its hash, so that one that leaked is found as a whole; it comes in a body, which no log keeps. */
const findKey = defineEntityCommand({
  verb: 'find',
  method: 'POST',
  path: '/find',
  operation: 'adminFindApiKey',
  summary: { 'zh-CN': '按完整密钥查找', en: 'Find an API key by the key itself' },
  description: {
    'zh-CN':
      '用于查明泄露的密钥属于谁。密钥只在请求体中，按哈希查找，不记录；90 天内轮换或吊销的密钥也能找到。',
    en: 'Finds the owner of a leaked key. The key is sent only in the body, compared by its hash and not recorded. Keys replaced or revoked within 90 days are found too.',
  },
  input: { key: field.string({ ...always, pattern: '^[0-9a-f]{64}$' }) },
  data: foundKeySchema,
  problems: ['record_not_found'],
  run: async ({ transaction, dialect, now, values }) => {
    const hash = hashKey(values.key);
    const found = (await findSecrets(transaction, dialect, [hash], now)).get(hash);
    if (found === undefined) throw new Problem('record_not_found');
    const { key_hash: _, ...shown } = found;
    return { data: shown };
  },
});

/** Commands of administrators on keys. */
export const keyCommands = (parts: KeyCommandParts): readonly EntityCommand[] => [
  createKey(parts),
  updateKey(parts.known),
  rotateAnyKey,
  deleteKey,
  findKey,
];

interface OwnedAccount {
  readonly owner_id: number | null;
  readonly owner_model: string | null;
  readonly owner_record: number | null;
}

/**
 * Locks a service account for which this person is responsible; false if it is none. The record that owns it is locked
 * before, as a deletion of the record locks them.
 */
const ownsAccount = async (
  change: Change,
  person: number,
  id: number,
  manages: ManagesOwner,
): Promise<boolean> => {
  const { transaction, dialect } = change;
  const read = (lock: boolean) =>
    statement<{ id: number }>(
      dialect,
      (value) => sql`select owner_id, owner_model, owner_record from ${own('users')}
        where id = ${value('id')} and kind = 'service'
          and (owner_record is null or disabled = ${literal(false)})${lock ? dialect.updateLock : sql``}`,
    );
  const before = await transaction.get<OwnedAccount>(read(false)({ id }));
  if (before?.owner_model != null && before.owner_record !== null) {
    const record = { model: before.owner_model, id: Number(before.owner_record) };
    if (!(await manages(change, record))) return false;
  }
  const account = await transaction.get<OwnedAccount>(read(true)({ id }));
  if (account === undefined || account.owner_model !== before?.owner_model) return false;
  if (account.owner_model === null) return account.owner_id === person;
  return account.owner_record === before.owner_record;
};

/** Dependencies of the commands of users on their own keys. */
export interface OwnKeyCommandParts extends KeyCommandParts {
  readonly manages: ManagesOwner;
}

const createOwnKey = ({ known, notify, manages }: OwnKeyCommandParts) =>
  defineEntityCommand({
    ...creation,
    refine: refineKey(known),
    operation: 'createApiKey',
    summary: { 'zh-CN': '创建 API 密钥', en: 'Create an API key' },
    description: {
      'zh-CN':
        '完整密钥仅在此响应中返回一次。以 `service_account_id` 为自己负责的服务账号创建密钥：属于自己，或属于自己可管理（`manage`）的记录。',
      en: 'Only this response contains the full key. With `service_account_id` the key is one of a service account of the caller, or of a record that the caller manages (the rule `manage` of its model).',
    },
    input: { ...keyFieldDefinitions, service_account_id: field.integer({ min: 1 }) },
    constraints: { foreign_key: 'record_not_found' },
    check: async (values) => restrictionViolations(values, known),
    run: async (call) => {
      const caller = actingUserId(call.actor) ?? 0;
      const userId = call.values.service_account_id ?? caller;
      if (userId !== caller && !(await ownsAccount(call, caller, userId, manages)))
        throw new ViolationError({ field: 'service_account_id', rule: 'reference' });
      return showNewKey(call, userId, notify);
    },
  });

const deleteOwnKey = ({ manages }: OwnKeyCommandParts) =>
  defineEntityCommand({
    verb: 'remove',
    operation: 'deleteApiKey',
    summary: { 'zh-CN': '删除 API 密钥', en: 'Delete an API key' },
    description: {
      'zh-CN': '立即失效。他人的密钥视为不存在（404）。',
      en: 'It stops working at once. Keys of other users are not found (404).',
    },
    problems: ['record_not_found'],
    run: (call) => removeKey(call, manages),
  });

/** Commands of users on their own keys. */
export const ownKeyCommands = (parts: OwnKeyCommandParts): readonly EntityCommand[] => [
  createOwnKey(parts),
  defineEntityCommand({
    ...rotation,
    operation: 'rotateApiKey',
    run: (call: RotationCall) => rotateGranted(call, parts.manages),
  }),
  deleteOwnKey(parts),
];
