/**
 * The deletion of users by themselves and by code: with everything that belongs to them, and a report of what was
 * removed and what stays. Their names leave the logs afterwards, by a job.
 */

import { ConstraintError, type Database, type Reader } from '../../database/database.ts';
import { identifier, sql, statement, tableName, toQuery } from '../../database/statement.ts';
import { ownTables } from '../../database/tables.ts';
import { mailJob } from '../../delivery/mail.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { type Label, type Locale, labelText } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { requestErasure } from '../../ledger/erasure.ts';
import type { Outbox } from '../../ledger/outbox.ts';
import {
  type Acting,
  createForecast,
  createUserRemoval,
  type Forecast,
  type Foresee,
  relatedFor,
  type ServedResource,
  type UserRemoval,
} from '../../resources/operations.ts';
import { answerReferences } from '../../resources/references.ts';
import type { UserProof, UserStore } from './store.ts';
import type { StoredUser } from './stored-user.ts';

/** Reasons for which something of a user stays. */
const reasons = {
  reference_cleared: {
    'zh-CN': '记录保留，对该用户的引用已置为空',
    en: 'They stay, and their reference to the user is empty',
  },
  restorable: {
    'zh-CN': '随之删除的记录在回收站中，到期前可以恢复；“清除历史值”会一并移除',
    en: 'The deleted records are in the trash until they expire; forgetting them removes them',
  },
  former_values: {
    'zh-CN': '随之删除的记录的历史值与事件仍在；“清除历史值”会移除',
    en: 'Former values of the deleted records stay in their history and events; forgetting the records removes them',
  },
  facts: {
    'zh-CN': '审计日志、历史与事件保留操作、时间与用户编号；名称与网络地址在一分钟内移除',
    en: 'The audit log, the history and the events keep actions, times and the id of the user; names and network addresses leave them within a minute',
  },
} as const satisfies Readonly<Record<string, Label>>;

type KeptReason = keyof typeof reasons;

const { integer, boolean, text, textOrNull } = valueSchemas;

const counted = {
  kind: {
    ...text,
    description: '`records` of a model, or a kind of the service: `api_keys`, `sessions`, `logs`',
  },
  model: textOrNull,
  field: { ...textOrNull, description: 'The field that refers to the user' },
  count: {
    type: ['integer', 'null'],
    description: 'null: not counted, or of records that the caller cannot read',
  },
  more: { ...boolean, description: 'Whether there are further ones' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const removalSchema: JsonSchema = objectSchema('AccountRemoval', {
  id: integer,
  removed: { type: 'array', items: objectSchema('RemovedWithAccount', counted) },
  kept: {
    type: 'array',
    items: objectSchema('KeptOfAccount', {
      ...counted,
      reason: { ...text, enum: Object.keys(reasons) },
      text: { ...text, description: 'The reason in words' },
    }),
  },
});

interface CountedPart {
  readonly kind: string;
  readonly model: string | null;
  readonly field: string | null;
  readonly count: number | null;
  readonly more: boolean;
}

interface Kept extends CountedPart {
  readonly reason: KeptReason;
}

/** The removed and the kept parts of an account. */
export interface RemovalReport {
  readonly removed: readonly CountedPart[];
  readonly kept: readonly Kept[];
}

/** The report as a response has it. */
export const reportData = (id: number, { removed, kept }: RemovalReport, locale: Locale): JsonObject => ({
  id,
  removed: removed.map((each) => ({ ...each })),
  kept: kept.map((each) => ({ ...each, text: labelText(reasons[each.reason], locale) })),
});

/** Columns of the service's own tables that refer to a user. */
const ownReferences = ownTables.flatMap(({ name, columns }) =>
  Object.entries(columns)
    .filter(([, { options }]) => options.references === 'users.id')
    .map(([column, { options }]) => ({
      table: name,
      column,
      kind: name === 'users' ? 'service_accounts' : name.replace(/^gatewright_/, ''),
      goes: options.onDelete === 'cascade',
    })),
);

const ownStatements = ({ dialect }: Pick<Database, 'dialect'>) =>
  ownReferences.map((reference) => ({
    reference,
    count: statement<{ id: number }>(
      dialect,
      (value) =>
        sql`select count(*) as rows from ${tableName(reference.table)} where ${identifier(reference.column)} = ${value('id')}`,
    ),
  }));

/** A removal: who asks for it, and where its report goes. */
interface Ordered {
  readonly proof: UserProof | undefined;
  readonly related: Parameters<typeof answerReferences>[1];
  report: RemovalReport | undefined;
}

export interface RemovalParts extends TableContext {
  readonly users: UserStore;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly outbox: Pick<Outbox, 'add'>;
  /** Makes the workers look for jobs. */
  readonly wake: () => void;
}

/** Deletes users with everything that belongs to them. */
export class UserRemovals {
  readonly #parts: RemovalParts;
  readonly #models: Parameters<typeof createForecast>[1];
  readonly #foresee: Foresee;
  readonly #removal: UserRemoval<Ordered>;
  readonly #own: ReturnType<typeof ownStatements>;

  constructor(parts: RemovalParts) {
    const { database, users, resources } = parts;
    this.#parts = parts;
    this.#models = new Map([...resources].map(([name, resource]) => [name, resource.model]));
    this.#foresee = createForecast(database, this.#models, 'User');
    this.#own = ownStatements(database);
    this.#removal = createUserRemoval<Ordered>(
      database,
      {
        remove: (id, actor, part, ordered) =>
          users.remove(id, actor, {
            transaction: part?.transaction,
            proof: ordered?.proof,
            before: async ({ transaction }) => {
              if (ordered !== undefined) ordered.report = await this.#reportOf(id, transaction, ordered);
              await part?.before();
            },
            after: (made, user) => this.#endWork(made, id, user),
          }),
      },
      resources,
    );
  }

  /** Models whose grants a forecast or report needs. */
  get models(): Parameters<typeof createForecast>[1] {
    return this.#models;
  }

  /** True if hooks run, or other records may be deleted. */
  get effects(): Pick<UserRemoval<Ordered>, 'takesOthers' | 'runsHooks'> {
    return this.#removal;
  }

  foresee(id: number): Promise<Forecast> {
    return this.#foresee([id]);
  }

  /**
   * Deletes a user, and returns what was removed and what stays.
   * @throws Problem `record_not_found`, `login_failed`, `last_super_admin`, `cascade_too_large`, and `held_by_records`,
   * whose message names the models
   */
  async remove(id: number, acting: Acting, proof?: UserProof): Promise<RemovalReport> {
    const related = relatedFor({ models: this.#models }, acting);
    const ordered: Ordered = { proof, related, report: undefined };
    try {
      await this.#removal.remove(id, acting, ordered);
    } catch (error) {
      throw await this.#naming(id, error);
    }
    if (acting.shared === undefined) this.#parts.wake();
    else acting.shared.onCommit(this.#parts.wake);
    if (ordered.report === undefined) throw new Error('a removal made no report');
    return ordered.report;
  }

  /** Stores the erasure of the names of a user that was deleted, or of one who is still there. */
  async forget(id: number, change: Pick<Change, 'transaction'>): Promise<void> {
    await requestErasure(this.#parts.outbox, change.transaction, { model: 'User', record: id });
  }

  /** The problem of records that keep a user, with the names of their models. */
  async #naming(id: number, error: unknown): Promise<unknown> {
    const isHeld =
      (error instanceof Problem && error.problem === 'still_referenced') ||
      (error instanceof ConstraintError && error.kind === 'foreign_key');
    if (!isHeld) return error;
    const { references } = await this.#foresee([id]);
    const holding = references.filter(({ onDelete }) => onDelete === 'restrict');
    const names = new Set(holding.map(({ referrer }) => referrer.model.name));
    // A record that was removed meanwhile: the deletion can be repeated.
    if (names.size === 0) return new Problem('still_referenced', { cause: error });
    return new Problem('held_by_records', { params: { models: [...names].join(', ') }, cause: error });
  }

  async #reportOf(id: number, reader: Reader, { related }: Ordered): Promise<RemovalReport> {
    const removed: CountedPart[] = [{ kind: 'user', model: 'User', field: null, count: 1, more: false }];
    const kept: Kept[] = [];
    const { references } = answerReferences(await this.#foresee([id], reader), related);
    for (const each of (references as readonly Json[]).filter(isJsonObject)) this.#note(each, removed, kept);
    for (const { reference, count } of this.#own) {
      const row = await reader.get<{ rows: number | string }>(count({ id }));
      const counts = {
        kind: reference.kind,
        model: null,
        field: null,
        count: Number(row?.rows ?? 0),
        more: false,
      };
      if (counts.count === 0) continue;
      if (reference.goes) removed.push(counts);
      else kept.push({ ...counts, field: reference.column, reason: 'reference_cleared' });
    }
    kept.push({ kind: 'logs', model: null, field: null, count: null, more: false, reason: 'facts' });
    return { removed, kept };
  }

  /** Notes referring records by the effect on them. */
  #note(reference: JsonObject, removed: CountedPart[], kept: Kept[]): void {
    const model = String(reference['model']);
    const counts: CountedPart = {
      kind: 'records',
      model,
      field: String(reference['field']),
      count: reference['count'] as number | null,
      more: reference['more'] === true,
    };
    if (reference['on_delete'] === 'null') kept.push({ ...counts, reason: 'reference_cleared' });
    if (reference['on_delete'] !== 'cascade') return;
    removed.push(counts);
    const { history = false, events = false } = this.#models.get(model) ?? {};
    if (reference['trash'] === true) kept.push({ ...counts, reason: 'restorable' });
    else if (history || events) kept.push({ ...counts, reason: 'former_values' });
  }

  /** Ends what refers to the user without a reference: mail that waits, and links to an address or account. */
  async #endWork(made: Change, id: number, user: StoredUser): Promise<void> {
    const { transaction, tables } = made;
    const mails = await transaction.all<{ id: number; input: string }>(
      toQuery(tables.selectFrom('gatewright_jobs').select(['id', 'input']).where('name', '=', mailJob)),
    );
    const own = mails.filter(({ input }) => {
      const { to, username } = JSON.parse(input) as Record<string, unknown>;
      return username === user.username || (user.email !== '' && to === user.email);
    });
    for (const mail of own)
      await transaction.run(toQuery(tables.deleteFrom('gatewright_jobs').where('id', '=', mail.id)));
    const canonical = [user.usernameCanonical, user.emailCanonical];
    await transaction.run(
      toQuery(tables.deleteFrom('gatewright_account_links').where('canonical', 'in', canonical)),
    );
    await requestErasure(this.#parts.outbox, transaction, { model: 'User', record: id });
  }
}

export const createUserRemovals = (parts: RemovalParts): UserRemovals => new UserRemovals(parts);
