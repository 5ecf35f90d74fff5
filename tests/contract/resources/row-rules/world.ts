import { createTable } from '../../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../../src/database/migrations/migration.ts';
import { field } from '../../../../src/fields/define.ts';
import type { FieldDefinition } from '../../../../src/fields/field.ts';
import { defineResource } from '../../../../src/model/define-resource.ts';
import type { Resource } from '../../../../src/model/types.ts';
import { modelsAsked, ruleOf, someCondition } from './conditions.ts';
import { countFromFar, type KeyKind, keyOfPlace } from './ids.ts';
import { actions, type Condition, type FieldPlan, type Method, type ModelPlan, methods } from './plan.ts';
import { Random } from './random.ts';
import { kinds, type Value, type ValueKind, valueKinds } from './values.ts';

/** Names of fields, most of them words of SQL. */
const names: Readonly<Record<ValueKind, string>> = {
  string: 'order',
  enum: 'select',
  boolean: 'where',
  decimal: 'table',
  integer: 'group',
  number: 'from',
  date: 'date',
  time: 'check',
  datetime: 'timestamp',
  uuid: 'default',
};

const referenceNames = ['parent_id', 'team_id', 'union_id', 'user_ref_id'] as const;

const someFields = (
  random: Random,
  keys: ReadonlyMap<string, KeyKind>,
  self: string,
  owned: boolean,
): FieldPlan[] => {
  const before = [...keys.keys()].filter((name) => name !== self);
  const others = valueKinds.filter((kind) => kind !== 'string' && kind !== 'enum');
  const values = ['string', 'enum', ...random.some(others, 0.3)] as const;
  const fields: FieldPlan[] = values.map((kind) => ({
    name: names[kind],
    kind,
    required: random.chance(0.3),
  }));
  const targets = [self, ...before, ...before, 'User'];
  for (const name of random.some(referenceNames, 0.6, 1)) {
    const to = random.pick(targets);
    // A record cannot name itself before it is there.
    const required = to !== self && to !== 'User' && random.chance(0.3);
    const shows = to === 'User' && random.chance(0.5);
    const key = keys.get(to) ?? 'integer';
    fields.push({ name, kind: 'reference', to, key, required, anyone: random.chance(0.4), shows });
  }
  // A body may name anybody as the owner, where the rules leave it to bodies.
  const owner = { name: 'user_id', kind: 'reference', to: 'User', required: false, anyone: true } as const;
  if (owned) fields.push({ ...owner, shows: random.chance(0.5) });
  return fields;
};

const someAuth = (random: Random): ModelPlan['auth'] => {
  if (random.chance(0.2)) return Object.fromEntries(actions.map((action) => [action, ['jwt']])) as never;
  const each = (): readonly Method[] => (random.chance(0.8) ? methods : random.some(methods, 0.5, 1));
  return Object.fromEntries(actions.map((action) => [action, each()])) as never;
};

const writes = ['create', 'update', 'destroy'] as const;

const someRules = (
  random: Random,
  model: ModelPlan,
  models: readonly ModelPlan[],
): ModelPlan['isolation'] => {
  if (random.chance(0.1)) return model.owned && random.chance(0.7) ? 'owner' : 'none';
  const condition = () => someCondition(random, model, models, 4);
  const read = condition();
  const same = { read, create: read, update: read, destroy: read };
  const form = random.pick(['both', 'both', 'both', 'each', 'each', 'shared', 'read', 'write'] as const);
  if (form === 'shared') return { ...same, said: read };
  if (form === 'read' || form === 'write') return { ...same, said: { [form]: read } };
  const reads = random.chance(0.15) ? 'everyone' : read;
  const write = condition();
  const each = form === 'both' ? [] : random.some(writes, 0.5, 1).map((action) => [action, condition()]);
  const own: Partial<Record<(typeof writes)[number], Condition>> = Object.fromEntries(each);
  return {
    ...{ read: reads, create: write, update: write, destroy: write, ...own },
    said: { read: reads, write, ...own },
  };
};

const someHeld = (random: Random, plan: ModelPlan, plans: readonly ModelPlan[]): ModelPlan['held'] => {
  if (random.chance(0.5)) return undefined;
  const free = plan.fields.filter(({ name }) => !plan.restricted.includes(name));
  const fields = random.some(free, 0.3, 1).map(({ name }) => name);
  return { fields, unless: someCondition(random, plan, plans, 3) };
};

/** At least one field is seen in every record. A condition asks no record of the model itself. */
const someViewed = (random: Random, plan: ModelPlan, plans: readonly ModelPlan[]): ModelPlan['viewed'] => {
  const names = random.some(plan.fields.slice(1), 0.4).map(({ name }) => name);
  const cut = random.below(names.length + 1);
  return [names.slice(0, cut), names.slice(cut)].flatMap((fields) => {
    if (fields.length === 0) return [];
    for (;;) {
      const when = someCondition(random, plan, plans, 3);
      if (!modelsAsked(when).includes(plan.name)) return [{ fields, when }];
    }
  });
};

const restrictedOf = ({ restricted, held }: ModelPlan) => {
  const conditional = held === undefined ? [] : [{ fields: held.fields, unless: ruleOf(held.unless) }];
  const all = [...restricted, ...conditional];
  return all.length === 0 ? {} : { restricted: all };
};

/** Random models that refer to one another, with random rules. Names end with the world's number. */
export const someModels = (random: Random, number: number): readonly ModelPlan[] => {
  const plans: ModelPlan[] = [];
  const keys = new Map<string, KeyKind>();
  for (const [index, base] of ['Alpha', 'Beta', 'Seat', 'Gamma', 'Pass'].entries()) {
    const name = `${base}${number}`;
    const owned = base === 'Seat' || base === 'Pass' || random.chance(0.5);
    const key = keyOfPlace(number, index);
    keys.set(name, key);
    const fields = someFields(random, keys, name, owned);
    const isMembership = index === 2 || index === 4;
    const [published] = random.some(
      fields.filter(({ kind }) => kind === 'enum' || kind === 'boolean'),
      1,
    );
    plans.push({
      name,
      key,
      path: `${base.toLowerCase()}_${number}s`,
      singular: `${base.toLowerCase()}_${number}`,
      fields,
      owned,
      isolation: 'none',
      ownership: owned && !isMembership && random.chance(0.4),
      restricted: random.chance(0.15) ? [random.pick(fields).name] : [],
      held: undefined,
      viewed: [],
      manage: undefined,
      publicRead:
        published !== undefined && published.kind !== 'reference' && random.chance(0.2)
          ? { field: published.name, value: random.pick<NonNullable<Value>>(kinds[published.kind].values) }
          : undefined,
      permissions: random.chance(0.8) ? 'none' : random.pick(['writes', 'all']),
      auth: someAuth(random),
    });
  }
  return plans.map((plan, index) => {
    const isolation = someRules(random, plan, plans);
    const orOwn = isolation !== 'none' && random.chance(0.6);
    const knowsCallers = plan.publicRead === undefined || orOwn;
    return {
      ...plan,
      ...{ isolation, publicRead: plan.publicRead && { ...plan.publicRead, orOwn } },
      held: someHeld(random, plan, plans),
      viewed: someViewed(new Random(number * 8 + index), plan, plans),
      manage: knowsCallers && random.chance(0.8) ? someCondition(random, plan, plans, 2) : undefined,
    };
  });
};

const definitionOf = (plan: FieldPlan): FieldDefinition => {
  if (plan.kind !== 'reference') return kinds[plan.kind].define(plan.required);
  const { to = '', key = 'integer', required, anyone = false, shows = false } = plan;
  const shown: { readonly shows?: readonly ['username'] } = shows ? { shows: ['username'] } : {};
  if (plan.name === 'user_id') return field.owner(shown);
  return to === 'User'
    ? field.reference('User', { required, anyone, ...shown })
    : field.reference(to, { required, anyone, key });
};

const fieldsOf = ({ fields }: ModelPlan): Readonly<Record<string, FieldDefinition>> =>
  Object.fromEntries(fields.map((plan) => [plan.name, definitionOf(plan)]));

const isolationOf = ({ isolation }: ModelPlan) => {
  if (isolation === 'none') return {};
  if (isolation === 'owner') return { isolation: true };
  const { said } = isolation;
  if ('kind' in said) return { isolation: ruleOf(said) };
  const rules = Object.entries(said).map(([name, each]) => [name, each === 'everyone' ? each : ruleOf(each)]);
  return { isolation: Object.fromEntries(rules) };
};

/** The resource of a plan, with further members; with `trash` among them also the rule for callers who manage it. */
export const resourceWith = (plan: ModelPlan, more: Readonly<Record<string, unknown>>): Resource =>
  defineResource(plan.name, {
    ...more,
    key: plan.key,
    fields: fieldsOf(plan),
    plural: plan.path,
    singular: plan.singular,
    auth: plan.auth,
    ...isolationOf(plan),
    ...(plan.ownership ? { ownership: true } : {}),
    ...restrictedOf(plan),
    ...(plan.viewed.length === 0
      ? {}
      : {
          views: {
            ...(more['views'] as object | undefined),
            when: plan.viewed.map(({ fields, when }) => [ruleOf(when), fields]),
          },
        }),
    ...(plan.manage === undefined || more['trash'] !== true ? {} : { manage: ruleOf(plan.manage) }),
    ...(plan.permissions === 'none' ? {} : { permissions: plan.permissions }),
    ...(plan.publicRead === undefined
      ? {}
      : {
          publicRead: {
            where: { [plan.publicRead.field]: plan.publicRead.value },
            ...(plan.publicRead.orOwn === true ? { orOwn: true } : {}),
          },
        }),
  } as never) as unknown as Resource;

/** The tables of all models, in the order in which they refer to one another. */
export const migrationsOf = (models: readonly ModelPlan[]): Migrations => ({
  '0001_worlds': {
    up: async (db, dialect) => {
      const tables = new Map(models.map(({ name, path }) => [name, path]));
      for (const plan of models) {
        const references = plan.fields.flatMap(({ name, to }): [string, string][] => {
          const table = to === undefined ? undefined : tables.get(to);
          return table === undefined ? [] : [[name, table]];
        });
        await createTable(db, dialect, plan.path, {
          key: plan.key,
          fields: fieldsOf(plan),
          references: Object.fromEntries(references),
          model: plan.name,
        });
        if (plan.key === 'bigint') await countFromFar(db, dialect, plan.path);
      }
    },
  },
});
