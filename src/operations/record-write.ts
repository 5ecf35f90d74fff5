import type { Grant } from '../policy/grant.ts';
import type { Acting } from './acting.ts';
import type { ServedResource } from './served-resource.ts';
import type { SharedTransaction } from './transaction.ts';

/** What every write of a record begins with: whose resource, on whose behalf, and what the policy lets them do. */
export interface RecordWrite {
  readonly resource: ServedResource;
  readonly acting: Acting;
  readonly grant: Grant;
}

export type WriteAction = 'create' | 'update' | 'destroy';

/** A write with the transaction that it is part of. */
export interface SharedWrite extends RecordWrite {
  readonly acting: Acting & { readonly shared: SharedTransaction };
}

export const isShared = (write: RecordWrite): write is SharedWrite => write.acting.shared !== undefined;
