import type { FilterOperator } from '../../../../src/fields/field.ts';
import type { KeyKind } from '../../resources/row-rules/ids.ts';
import type { ModelPlan } from '../../resources/row-rules/plan.ts';
import type { Random } from '../../resources/row-rules/random.ts';
import { kinds, type ValueKind } from '../../resources/row-rules/values.ts';
import { someModels } from '../../resources/row-rules/world.ts';

/** A relation as a world plans it: a reference, or a declared one. */
export interface RelationPlan {
  readonly name: string;
  readonly many: boolean;
  /** The model to whose records it leads; `User` for users. */
  readonly to: string;
  /** The field of this record, and the field of the other one that holds the same. */
  readonly from: string;
  readonly at: string;
  /** Records between: the field that names this one, and the field that names the other. */
  readonly through?: { readonly model: string; readonly from: string; readonly to: string };
  /** True if the reference shows some fields of its user to everyone who reads its record. */
  readonly shows?: boolean;
}

/** The kind by which a field is compared and ordered. */
export type Kind = ValueKind | 'reference' | 'id';

export interface FieldKind {
  readonly name: string;
  readonly kind: Kind;
  /** The kind of its ids, for ids and references. */
  readonly key?: KeyKind;
}

export interface RelatedPlan extends ModelPlan {
  readonly relations: readonly RelationPlan[];
  /** All fields, in the order of the model. */
  readonly all: readonly FieldKind[];
  readonly detail: readonly string[];
  readonly list: readonly string[];
}

const timestamps: readonly FieldKind[] = [
  { name: 'created_at', kind: 'datetime' },
  { name: 'updated_at', kind: 'datetime' },
];

/** The fields of a user that the API and the administration area show. `roles` is compared with nothing. */
const userKinds: Readonly<Record<string, Kind>> = {
  id: 'id',
  username: 'string',
  email: 'string',
  name: 'string',
  roles: 'string',
  disabled: 'boolean',
  must_change_password: 'boolean',
  created_at: 'datetime',
  updated_at: 'datetime',
};
export const userFields = Object.keys(userKinds);
export const publicUserFields = userFields.slice(0, 5);
/** Fields of users that a showing reference shows. */
export const shownUserFields = userFields.slice(0, 2);
export const userPlan = {
  name: 'User',
  key: 'integer',
  all: userFields.map((name): FieldKind => ({ name, kind: userKinds[name] ?? 'string' })),
  relations: [] as readonly RelationPlan[],
} as const;

/** The part of a plan that every model has: its name, columns and relations. */
export type TargetPlan = Pick<RelatedPlan, 'name' | 'key' | 'all' | 'relations'>;

const identity: readonly FilterOperator[] = ['eq', 'ne', 'in', 'null'];

export const operatorsOf = (kind: Kind): readonly FilterOperator[] => {
  if (kind === 'reference') return identity;
  return kinds[kind === 'id' ? 'integer' : kind].define(false).type.operators;
};

const declaredNames = ['limit', 'members', 'others', 'parts', 'values', 'links', 'rows', 'where_used'];

const toOne = ({ fields }: ModelPlan): RelationPlan[] =>
  fields.flatMap(({ name, kind, to = '', shows = false }) =>
    kind === 'reference'
      ? [{ name: name.replace(/_id$/, ''), many: false, to, from: name, at: 'id', shows }]
      : [],
  );

const toMany = (random: Random, model: ModelPlan, models: readonly ModelPlan[]): RelationPlan[] => {
  const naming = models.flatMap((other) =>
    other.fields.filter(({ to }) => to === model.name).map((field) => ({ other, field })),
  );
  const straight = naming.map(({ other, field }) => ({ to: other.name, from: 'id', at: field.name }));
  const across = naming.flatMap(({ other, field }) =>
    other.fields
      .filter((on) => on.kind === 'reference' && on.name !== field.name)
      .map((on) => ({
        to: on.to ?? '',
        from: 'id',
        at: 'id',
        through: { model: other.name, from: field.name, to: on.name },
      })),
  );
  const chosen = [...random.some(straight, 0.7, 1), ...random.some(across, 0.4, 1)];
  return random
    .some(chosen, 1)
    .slice(0, declaredNames.length)
    .map((each, index) => ({ ...each, name: declaredNames[index] ?? '', many: true }));
};

const someViews = (random: Random, all: readonly string[], conditional: ReadonlySet<string>) => {
  if (random.chance(0.3)) return { detail: all, list: all };
  const named = random.some(all, 0.7, 1);
  // A field that depends on the record is one of the detail, named there or not.
  const detail = [...named, ...all.filter((field) => conditional.has(field) && !named.includes(field))];
  // A list may show what the detail does not.
  const list = random.chance(0.5) ? detail : random.some(all, 0.5, 1);
  return { detail, list };
};

/** Random models that refer to one another, with rules, views and declared relations. */
export const someRelatedModels = (random: Random, number: number): readonly RelatedPlan[] => {
  const models = someModels(random, number).map(
    (plan): ModelPlan => ({
      ...plan,
      permissions: random.pick(['none', 'none', 'none', 'writes', 'all']),
      publicRead:
        plan.publicRead ??
        (random.chance(0.12) ? { field: 'select', value: random.pick(kinds.enum.values) } : undefined),
    }),
  );
  return models.map((plan) => {
    const all = [
      { name: 'id', kind: 'id', key: plan.key } as const,
      ...plan.fields.map(({ name, kind, key = 'integer' }) => ({ name, kind, key })),
      ...timestamps,
    ];
    const views = someViews(
      random,
      all.map(({ name }) => name),
      new Set(plan.viewed.flatMap(({ fields }) => fields)),
    );
    return { ...plan, all, ...views, relations: [...toOne(plan), ...toMany(random, plan, models)] };
  });
};
