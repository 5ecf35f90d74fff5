import { quoteName } from '../quote.ts';
import type { ReferenceTriggers } from '../reference-triggers.ts';

/**
 * What the triggers of all tables run. A millisecond after the last change at the least, so that a clock that was set
 * back hides none.
 */
const raise = `create or replace function gatewright_reference_nulled() returns trigger language plpgsql as $$
begin
  new."version" := old."version" + 1;
  new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 millisecond');
  return new;
end
$$`;

export const nulledReferencesPostgres: ReferenceTriggers = {
  create: (table, column, trigger) => {
    const [name, on, reference] = [trigger, table, column].map(quoteName);
    return [
      raise,
      `create trigger ${name} before update of ${reference} on ${on} for each row
  when (old.${reference} is not null and new.${reference} is null and new."version" = old."version")
  execute function gatewright_reference_nulled()`,
    ];
  },
  drop: (table, trigger) => `drop trigger if exists ${quoteName(trigger)} on ${quoteName(table)}`,
};
