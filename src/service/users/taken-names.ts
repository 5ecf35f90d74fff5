import { ConstraintError, type Database } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';

/** Unique fields that somebody else holds already. */
export type TakenField = 'username' | 'email';

/** Canonical forms of the unique fields that a write brings. */
export type CanonicalNames = { readonly [Field in TakenField]?: string | undefined };

/** Which of the two are held by a user other than `except`. */
export const takenNames = async (
  database: Database,
  names: CanonicalNames,
  except?: number,
): Promise<readonly TakenField[]> => {
  const db = tablesOf(database);
  const found: TakenField[] = [];
  for (const field of ['username', 'email'] as const) {
    const canonical = names[field];
    if (canonical === undefined) continue;
    const column = field === 'username' ? ('username_canonical' as const) : ('email_canonical' as const);
    const row = await database.get<{ id: number }>(
      toQuery(db.selectFrom('users').select('id').where(column, '=', canonical)),
    );
    if (row !== undefined && row.id !== except) found.push(field);
  }
  return found;
};

/** Thrown where a unique field was taken between the look-up and the write. */
export class TakenError extends Error {
  readonly fields: readonly TakenField[];
  constructor(fields: readonly TakenField[], cause?: unknown) {
    super(`taken: ${fields.join(', ')}`, { cause });
    this.name = 'TakenError';
    this.fields = fields;
  }
}

/** Returns `TakenError` in the place of a violated constraint of a unique field, any other error as it is. */
export const takenBy = (error: unknown): unknown => {
  if (!(error instanceof ConstraintError) || error.kind !== 'unique') return error;
  const field = error.columns.some((column) => column.startsWith('username')) ? 'username' : 'email';
  return new TakenError([field], error);
};
