import type { SqlValue } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';

/** Values that the statements on a table of records bind. */
export type WriteArguments = {
  /** Values of the written columns, in their order. */
  readonly values: readonly SqlValue[];
  /** Values of the row filter. */
  readonly rows: readonly SqlValue[];
  /** Values of the row filter for writes. */
  readonly writes: readonly SqlValue[];
  /** Values of the conditions of fields. */
  readonly held: readonly SqlValue[];
  /** The id of the user who reads the response. */
  readonly reader: SqlValue;
  readonly id: RecordId;
  /** Values of the companion inserts, one insert after the other. */
  readonly companions: readonly SqlValue[];
  /** Accepted versions; empty for any. */
  readonly versions: readonly SqlValue[];
};

/** Arguments for a statement that uses none of them. */
export const noArguments: WriteArguments = {
  values: [],
  rows: [],
  writes: [],
  held: [],
  reader: null,
  id: 0,
  versions: [],
  companions: [],
};
