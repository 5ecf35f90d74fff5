/**
 * The transaction that the operations of one caller share: its callbacks, its time limit, and the check against
 * nested ones.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from '../../auth/principal.ts';
import type { Database, DeferredCaller, Transaction, WriteOptions } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import { actorOf } from '../../http/call.ts';
import type { Call } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import type { NewEvent } from '../../ledger/event-log.ts';
import type { HookPrincipal, ModelField } from '../../model/resource.ts';
import type { History, NewVersion } from '../../records/history.ts';
import type { TrashedRecord } from '../../records/trash.ts';
import type { AreaRules } from './area.ts';

/** The time limit of code of the application. Once it is over, the scope of the code refuses everything. */
export interface CodeLimit {
  readonly isOver: boolean;
}

/** The context of operations: their principal, the rules of their area, and their transaction. */
export interface Acting {
  readonly principal: Principal;
  readonly area: AreaRules;
  /** Reason for which the application itself acts, past the policy; absent where the principal acts. */
  readonly reason?: string | undefined;
  /** Actor in the audit log for operations with a reason. */
  readonly actor: () => Actor;
  /** Caller to whose share expensive reads are counted; undefined for the application itself. */
  readonly by?: DeferredCaller | undefined;
  /** Time limit of the code that acts; absent where it has none. */
  readonly limit?: CodeLimit | undefined;
  /** Transaction of all these operations; absent where each write has its own. */
  readonly shared?: SharedTransaction | undefined;
  /** True in the scope of an endpoint that may send mail. */
  readonly sendsMail?: boolean | undefined;
  /** Number of nested hook calls: a hook's write runs further hooks. */
  readonly depth: number;
}

/** The context of the operations of a call: they act for its caller. */
export const actingFor = (call: Call, area: AreaRules): Acting => ({
  principal: call.principal,
  area,
  actor: () => actorOf(call),
  by: call,
  depth: 0,
});

/** The principal as hooks, jobs and endpoints of the application see it. */
export const hookPrincipal = ({ principal, reason }: Pick<Acting, 'principal' | 'reason'>): HookPrincipal => {
  if (reason !== undefined) return { kind: 'system', reason };
  if (principal.kind === 'user') {
    const { id, username, roles } = principal;
    return { kind: 'user', id, username, roles };
  }
  return principal.kind === 'application'
    ? { kind: 'application', appId: principal.appId }
    : { kind: 'nobody' };
};

/** A transaction that several operations share, with its callbacks. */
export interface SharedTransaction {
  readonly transaction: Transaction;
  /** Calls `done` after the commit; never after a rollback. */
  onCommit(done: () => void): void;
  /** Keys (`recordKey`) of records that exist: this transaction has read or written them. */
  readonly present: Set<string>;
  /** Counter that every write increments: it shows whether anything was written since it was last read. */
  writes: number;
  /** Number of records that it deletes by `onDelete: 'cascade'`. */
  cascaded: number;
  /** Runs `work` after all operations of the transaction, before the commit. */
  beforeEnd(work: () => Promise<void>): void;
  /** Buffer of records that go into the trash: see `intoTrash`. */
  readonly trashed: TrashedRecord[];
  /**
   * Updates and deletions that this write makes later, by the keys of their records: each gets its record out of the
   * way of the values of another one (`makeWayIn`).
   */
  readonly later: Map<string, (fields: readonly ModelField[]) => Promise<boolean>>;
  /** Number of writes whose hooks may still set values: their versions and events stay in the buffer. */
  unsettled: number;
  /** Buffer of versions and events: see `recordChange`. */
  readonly changed: {
    readonly model: string;
    readonly history: History | undefined;
    readonly version: NewVersion;
    readonly event: NewEvent | undefined;
  }[];
  /** Marks the transaction to be rolled back, even if its work catches the error. Throws the error. */
  refuse(error: unknown): never;
  /** @throws the error of `refuse`, if it was called */
  assertNotRefused(): void;
}

/** Key of a record within a transaction. */
export const recordKey = (model: string, id: RecordId): string => `${model} ${id}`;

/** True if the transaction has seen or created a record; undefined outside of one. */
export const isThereIn = ({
  shared,
}: Pick<Acting, 'shared'>): ((model: string, id: unknown) => boolean) | undefined =>
  shared && ((model, id) => shared.present.has(recordKey(model, String(id))));

class Shared implements SharedTransaction {
  readonly transaction: Transaction;
  readonly present = new Set<string>();
  writes = 0;
  cascaded = 0;
  unsettled = 0;
  readonly trashed: TrashedRecord[] = [];
  readonly later: SharedTransaction['later'] = new Map();
  readonly changed: SharedTransaction['changed'] = [];
  readonly afterwards: (() => void)[] = [];
  readonly endings: (() => Promise<void>)[] = [];
  open = true;
  #refusal: { readonly error: unknown } | undefined;

  constructor(transaction: Transaction) {
    this.transaction = transaction;
  }

  onCommit(done: () => void): void {
    this.afterwards.push(done);
  }

  beforeEnd(work: () => Promise<void>): void {
    this.endings.push(work);
  }

  refuse(error: unknown): never {
    this.#refusal ??= { error };
    throw error;
  }

  assertNotRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal.error;
  }
}

/** The transaction of the running work, for code that is called within it. */
const running = new AsyncLocalStorage<Shared>();

/**
 * Refuses a call of an outer scope within a transaction: on SQLite it would wait for the end of the transaction, and on
 * PostgreSQL it would not see the transaction's writes.
 */
export const assertOutside = (): void => {
  if (running.getStore()?.open !== true) return;
  throw new Error('Inside a transaction, use the scope that its callback receives');
};

/** @throws Problem `handler_timeout` once the code has taken too long, and its caller has the response */
export const assertInTime = ({ limit }: Pick<Acting, 'limit'>): void => {
  if (limit?.isOver !== true) return;
  const cause = new Error('The time of this code is over: its scope takes no more calls');
  throw new Problem('handler_timeout', { cause });
};

/**
 * The transaction in which an operation takes part.
 * @throws Error as `assertOutside`, Problem as `assertInTime`, and the error of a refusal
 */
export const transactionOf = ({
  shared,
  limit,
}: Pick<Acting, 'shared' | 'limit'>): Transaction | undefined => {
  assertInTime({ limit });
  if (shared === undefined) assertOutside();
  shared?.assertNotRefused();
  return shared?.transaction;
};

/**
 * Runs operations in one transaction: all or nothing, durable when it resolves. The work may run again after a
 * conflict; callbacks of the runs before are dropped.
 */
export const runInTransaction = async <T>(
  database: Database,
  work: (shared: SharedTransaction) => Promise<T>,
  options?: WriteOptions,
): Promise<T> => {
  const unit = async (transaction: Transaction): Promise<{ answer: T; afterwards: (() => void)[] }> => {
    const shared = new Shared(transaction);
    try {
      const answer = await running.run(shared, work, shared);
      for (const work of shared.endings) await work();
      // Also if the work has caught the error.
      shared.assertNotRefused();
      return { answer, afterwards: shared.afterwards };
    } finally {
      shared.open = false;
    }
  };
  const { answer, afterwards } = await database.write(unit, options);
  for (const done of afterwards) done();
  return answer;
};
