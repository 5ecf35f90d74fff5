import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from '../auth/principal.ts';
import type { Database, DeferredCaller, Transaction, WriteOptions } from '../database/database.ts';
import type { HookPrincipal } from '../model/resource.ts';
import type { History, NewVersion } from '../records/history/history.ts';
import type { TrashedRecord } from '../records/trash/bundle.ts';
import type { Actor } from '../service/audit/audit.ts';
import type { NewEvent } from '../service/events/event-log.ts';
import type { AreaRules } from './area.ts';

/** On whose behalf operations run, under which rules, and in which transaction. */
export interface Acting {
  readonly principal: Principal;
  readonly area: AreaRules;
  /** Why the application itself acts, past the policy; absent where the principal does. */
  readonly reason?: string | undefined;
  /** Who stands in the audit log for what is done with a reason. */
  readonly actor: () => Actor;
  /** Whom limits count of what nothing bounds; nobody for the application itself. */
  readonly by?: DeferredCaller | undefined;
  /** The transaction that all of it shares; absent where each write has one of its own. */
  readonly shared?: SharedTransaction | undefined;
  /** How many hooks have led here, one by the writes of the other. */
  readonly depth: number;
}

/** For whom something is done, as code of the application sees it. */
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

/** A transaction that several operations share, and what is to be done once it is durable. */
export interface SharedTransaction {
  readonly transaction: Transaction;
  /** Runs `done` when the transaction is committed; never where it is rolled back. */
  committed(done: () => void): void;
  /** Records that are there, as this transaction has seen or made them: see `recordKey`. */
  readonly known: Set<string>;
  /** Counted by whatever writes in it, so that somebody can tell whether anything was written meanwhile. */
  writes: number;
  /** Records that are deleted in it only because others are, by `onDelete: 'cascade'`. */
  cascaded: number;
  /** Runs `work` behind everything that the transaction is asked for, and before it is committed. */
  last(work: () => Promise<void>): void;
  /** Records that go into the trash with it, and wait to be written together: see `intoTrash`. */
  readonly trashed: TrashedRecord[];
  /** Versions and events that wait to be written together: see `recordChange`. */
  readonly changed: {
    readonly history: History | undefined;
    readonly version: NewVersion;
    readonly event: NewEvent | undefined;
  }[];
  /** Rolls the transaction back whatever comes: what was written in it must not stand. Throws the error. */
  refuse(error: unknown): never;
  /** @throws what it was refused with */
  assertGood(): void;
}

/** What a record is known by in a transaction. */
export const recordKey = (model: string, id: number): string => `${model} ${id}`;

class Shared implements SharedTransaction {
  readonly transaction: Transaction;
  readonly known = new Set<string>();
  writes = 0;
  cascaded = 0;
  readonly trashed: TrashedRecord[] = [];
  readonly changed: SharedTransaction['changed'] = [];
  readonly afterwards: (() => void)[] = [];
  readonly endings: (() => Promise<void>)[] = [];
  open = true;
  #refusal: { readonly error: unknown } | undefined;

  constructor(transaction: Transaction) {
    this.transaction = transaction;
  }

  committed(done: () => void): void {
    this.afterwards.push(done);
  }

  last(work: () => Promise<void>): void {
    this.endings.push(work);
  }

  refuse(error: unknown): never {
    this.#refusal ??= { error };
    throw error;
  }

  assertGood(): void {
    if (this.#refusal !== undefined) throw this.#refusal.error;
  }
}

/** The transaction in whose work the code stands that asks. */
const running = new AsyncLocalStorage<Shared>();

/**
 * Refuses what goes past the transaction in whose work it is asked for: it would wait for its end on one database, and
 * not see what it wrote on the other.
 */
export const assertOutside = (): void => {
  if (running.getStore()?.open !== true) return;
  throw new Error('Inside a transaction only the scope works that its work was given');
};

/**
 * Runs operations in one transaction: all or nothing, durable when it resolves. It may run again after a conflict, and
 * what the runs before it had asked for is forgotten.
 */
export const together = async <T>(
  database: Database,
  work: (shared: SharedTransaction) => Promise<T>,
  options?: WriteOptions,
): Promise<T> => {
  const unit = async (transaction: Transaction): Promise<{ answer: T; afterwards: (() => void)[] }> => {
    const shared = new Shared(transaction);
    try {
      const answer = await running.run(shared, work, shared);
      for (const work of shared.endings) await work();
      // Also where the work has caught the error.
      shared.assertGood();
      return { answer, afterwards: shared.afterwards };
    } finally {
      shared.open = false;
    }
  };
  const { answer, afterwards } = await database.write(unit, options);
  for (const done of afterwards) done();
  return answer;
};
