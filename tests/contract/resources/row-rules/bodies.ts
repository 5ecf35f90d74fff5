import type { Playing } from './asking.ts';
import { type Id, idAt, missing, wrongIds } from './ids.ts';
import { type Body, isRefused, shown } from './oracle.ts';
import type { Asking } from './people.ts';
import { type FieldPlan, idOf, type ModelPlan, type Row } from './plan.ts';
import { kinds, someValue, type Value } from './values.ts';

/** Writes of callers: ids and bodies, some of them forbidden to all. */

export const someId = (playing: Playing, plan: ModelPlan, caller: Asking): Id => {
  const { random, state } = playing;
  const rows = shown(playing, plan, 'detail', caller);
  if (!isRefused(rows) && rows.length > 0 && random.chance(0.6)) return idOf(random.pick(rows));
  const ids = [...state.table(plan.name).keys()];
  return ids.length === 0 || random.chance(0.05) ? missing[plan.key] : random.pick(ids);
};

const someReference = (
  playing: Playing,
  { to = '', key = 'integer', required }: FieldPlan,
  caller: Asking,
): Value => {
  const { random, users, models } = playing;
  if (!required && random.chance(0.15)) return null;
  if (random.chance(0.03)) return random.pick(wrongIds[key]);
  if (to === 'User') return caller.userId !== null && random.chance(0.7) ? caller.userId : random.pick(users);
  const target = models.find(({ name }) => name === to);
  return target === undefined ? missing[key] : someId(playing, target, caller);
};

/** Numbers of the ids that bodies give, behind those of the first records. */
let given = 1000;

/** An id of a new record; now and then one that a record had that is gone. */
const someNewId = ({ random, state }: Playing, { key, name }: ModelPlan): Id | undefined => {
  const gone = state.trash.filter(({ model, id }) => model === name && state.find(name, id) === undefined);
  if (key === 'text' && gone.length > 0 && random.chance(0.2)) return random.pick(gone).id;
  given += 1;
  return idAt(key, given);
};

/** The id in the body of a create, where bodies have it: now and then one that is taken, or none. */
const idOfBody = (playing: Playing, plan: ModelPlan): Body => {
  const { random, state } = playing;
  if (plan.key !== 'text') return {};
  const lot = random.next();
  const taken = [...state.table(plan.name).keys()];
  if (lot < 0.03) return { id: random.pick(wrongIds.text) };
  if (lot < 0.05) return {};
  return { id: lot < 0.1 && taken.length > 0 ? random.pick(taken) : (someNewId(playing, plan) ?? null) };
};

/** A body with some of the fields; now and then a value is one that the field does not take. */
export const someBody = (playing: Playing, plan: ModelPlan, caller: Asking, before?: Row): Body => {
  const { random } = playing;
  const fields = plan.fields.filter(() => random.chance(before === undefined ? 0.9 : 0.4));
  const values = Object.fromEntries(
    fields.map((field): readonly [string, Value] => {
      const { name, kind, required } = field;
      // A form sends back what it was shown.
      const kept = before?.[name];
      if (kept !== undefined && random.chance(0.3)) return [name, kept];
      if (kind === 'reference') return [name, someReference(playing, field, caller)];
      if (random.chance(0.03)) return [name, kinds[kind].wrong];
      return [name, someValue(random, kind, !required || random.chance(0.05))];
    }),
  );
  return before === undefined ? { ...idOfBody(playing, plan), ...values } : values;
};
