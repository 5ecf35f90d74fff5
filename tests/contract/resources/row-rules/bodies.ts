import { missing, type Playing } from './asking.ts';
import { type Body, isRefused, shown } from './oracle.ts';
import type { Asking } from './people.ts';
import type { FieldPlan, ModelPlan, Row } from './plan.ts';
import { kinds, someValue, type Value } from './values.ts';

/** Writes of callers: ids and bodies, some of them forbidden to all. */

export const someId = (playing: Playing, plan: ModelPlan, caller: Asking): number => {
  const { random, state } = playing;
  const rows = shown(playing, plan, 'detail', caller);
  if (!isRefused(rows) && rows.length > 0 && random.chance(0.6)) return Number(random.pick(rows)['id']);
  const ids = [...state.table(plan.name).keys()];
  return ids.length === 0 || random.chance(0.05) ? missing : random.pick(ids);
};

const someReference = (playing: Playing, { to = '', required }: FieldPlan, caller: Asking): Value => {
  const { random, users, models } = playing;
  if (!required && random.chance(0.15)) return null;
  if (to === 'User') return caller.userId !== null && random.chance(0.7) ? caller.userId : random.pick(users);
  const target = models.find(({ name }) => name === to);
  return target === undefined ? missing : someId(playing, target, caller);
};

/** A body with some of the fields; now and then a value is one that the field does not take. */
export const someBody = (playing: Playing, plan: ModelPlan, caller: Asking, before?: Row): Body => {
  const { random } = playing;
  const fields = plan.fields.filter(() => random.chance(before === undefined ? 0.9 : 0.4));
  return Object.fromEntries(
    fields.map((field) => {
      const { name, kind, required } = field;
      // A form sends back what it was shown.
      const kept = before?.[name];
      if (kept !== undefined && random.chance(0.3)) return [name, kept];
      if (kind === 'reference') return [name, someReference(playing, field, caller)];
      if (random.chance(0.03)) return [name, kinds[kind].wrong];
      return [name, someValue(random, kind, !required || random.chance(0.05))];
    }),
  );
};
