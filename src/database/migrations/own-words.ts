import { type RawBuilder, sql } from 'kysely';
import type { Dialect, OwnTypes } from '../dialect.ts';

/** Words of the service's own migrations: types of columns, and the two truth values. */
export const ownWords = ({
  schema: { own, boolean },
}: Dialect): Readonly<Record<keyof OwnTypes | 'on' | 'off', RawBuilder<unknown>>> => {
  return {
    text: sql.raw(own.text),
    timestamp: sql.raw(own.timestamp),
    boolean: sql.raw(own.boolean),
    integer: sql.raw(own.integer),
    json: sql.raw(own.json),
    id: sql.raw(own.id),
    on: sql.raw(boolean(true)),
    off: sql.raw(boolean(false)),
  };
};
