import { quoteName } from '../quote.ts';
import type { ReferenceTriggers } from '../reference-triggers.ts';

/** A millisecond after the last change at the least, so that a clock that was set back hides none. */
const changedAt = `max(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), strftime('%Y-%m-%dT%H:%M:%fZ', "updated_at", '+0.001 seconds'))`;

export const nulledReferencesSqlite: ReferenceTriggers = {
  create: (table, column, trigger) => {
    const [name, on, reference] = [trigger, table, column].map(quoteName);
    return [
      `create trigger ${name} after update of ${reference} on ${on}
  when old.${reference} is not null and new.${reference} is null and new."version" = old."version"
begin
  update ${on} set "version" = "version" + 1, "updated_at" = ${changedAt} where "id" = new."id";
end`,
    ];
  },
  drop: (_table, trigger) => `drop trigger if exists ${quoteName(trigger)}`,
};
