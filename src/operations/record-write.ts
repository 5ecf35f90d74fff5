import type { Grant } from '../policy/grant.ts';
import type { ServedResource } from './served-resource.ts';
import type { Acting, SharedTransaction } from './transaction.ts';

/** What every write of a record begins with: whose resource, on whose behalf, and what the policy lets them do. */
export interface RecordWrite {
  readonly resource: ServedResource;
  readonly acting: Acting;
  readonly grant: Grant;
  /** The record within whose body this one is written; absent for one that is written by itself. */
  readonly of?: Surrounding | undefined;
}

/** The record within which another is written. Which one it is, is its own word, and never that of the body. */
export interface Surrounding {
  readonly model: string;
  /** The reference by which the inner record names it. */
  readonly field: string;
  /** Undefined where it is not there, as it has been refused: the inner record is looked at only. */
  readonly id: number | undefined;
  /** 1 for records within the one that was asked for, 2 for those within them. */
  readonly level: number;
}

export type WriteAction = 'create' | 'update' | 'destroy';

/** A write with the transaction that it is part of. */
export interface SharedWrite extends RecordWrite {
  readonly acting: Acting & { readonly shared: SharedTransaction };
}

export const isShared = (write: RecordWrite): write is SharedWrite => write.acting.shared !== undefined;
