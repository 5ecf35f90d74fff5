/**
 * Adds the rules of another program's policies to adopted models. A model has one condition for an action, whatever the
 * role: the roles that share it get their grants, and all else stays closed and is named.
 */

import type { FieldDefinition } from '../../../fields/field.ts';
import { type RowAction, rowActions } from '../../../model/row-expression.ts';
import { type Code, type Entry, statementText, textCode } from '../../scaffold/code.ts';
import { fieldCode } from '../../scaffold/field-code.ts';
import { type AdoptedModel, tableText } from '../adopted-model.ts';

import { type RoleRule, rulesOfRole } from './role-rules.ts';
import { type KnownFields, knownFields, noRecordCode, type World } from './rule-code.ts';
import type { LeftPolicy, SourcePolicies } from './source.ts';

/** A column that has the id of a user in the other program, by the text of its table. */
export interface CallerColumn {
  readonly table: string;
  readonly column: string;
}

export interface PolicyRequest {
  readonly source: SourcePolicies;
  readonly callerColumns: readonly CallerColumn[];
  /** A model of the application whose records say which user a caller of the other program is. */
  readonly callerModel: KnownFields | undefined;
}

/** The outcome for all rules of a source. */
export interface PolicyReport {
  readonly source: string;
  readonly mapped: readonly {
    readonly table: string;
    readonly model: string;
    readonly action: RowAction;
    readonly roles: readonly string[];
    /** The condition as code, or `every record`. */
    readonly rule: string;
  }[];
  readonly left: readonly LeftPolicy[];
  /** Actions by model, by the role that needs them. */
  readonly grants: ReadonlyMap<string, ReadonlyMap<string, readonly RowAction[]>>;
}

/** The rule of a model for an action: its code, `every` for every record, or none. */
interface Chosen {
  readonly action: RowAction;
  readonly roles: readonly RoleRule[];
  readonly code: Code | 'every' | undefined;
}

const lineOf = (code: Code): string => statementText(code, { after: '' }).replace(/\s*\n\s*/g, ' ');

const ruleText = ({ code }: Pick<RoleRule, 'code'>): string =>
  code === 'every' ? 'every record' : lineOf(code);

/** Roles with the same rule and the same fields; of several groups, the largest, and of these the first. */
const largestGroup = (rules: readonly RoleRule[]): readonly RoleRule[] => {
  const groups = Map.groupBy(rules, (rule) => JSON.stringify([rule.rows, rule.hidden, rule.owner ?? '']));
  return [...groups.values()].reduce<readonly RoleRule[]>(
    (most, group) => (group.length > most.length ? group : most),
    [],
  );
};

class ModelPolicies {
  readonly #adopted: AdoptedModel;
  readonly #known: KnownFields;
  readonly #left: LeftPolicy[];

  constructor(adopted: AdoptedModel, known: KnownFields, left: LeftPolicy[]) {
    this.#adopted = adopted;
    this.#known = known;
    this.#left = left;
  }

  #close(rules: readonly RoleRule[], because: string): void {
    for (const { place, role, action } of rules)
      this.#left.push({ place: `${place} (${role}, ${action})`, because });
  }

  /** Chooses the rule of each action. Those who do not read a record cannot write it either. */
  choose(all: readonly RoleRule[]): readonly Chosen[] {
    const ofRead = all.filter(({ action }) => action === 'read');
    const readers = largestGroup(ofRead);
    this.#close(
      ofRead.filter((rule) => !readers.includes(rule)),
      'another role has other rows or fields: the condition of a model is the same for every role',
    );
    const names = new Set(readers.map(({ role }) => role));
    const read: Chosen = { action: 'read', roles: readers, code: readers[0]?.code };
    const writes = rowActions.slice(1).map((action): Chosen => {
      const rules = all.filter((rule) => rule.action === action);
      const readable = rules.filter(({ role }) => names.has(role));
      this.#close(
        rules.filter((rule) => !readable.includes(rule)),
        'the role reads no record by this model',
      );
      const group = largestGroup(readable);
      this.#close(
        readable.filter((rule) => !group.includes(rule)),
        'another role has other rows or fields: the condition of a model is the same for every role',
      );
      return { action, roles: group, code: group[0]?.code };
    });
    return this.#consistent([read, ...writes]);
  }

  /** Writes of every record stand beside no condition: the service demands one for each write. */
  #consistent(chosen: readonly Chosen[]): readonly Chosen[] {
    if (chosen.every(({ code }) => code === 'every')) return chosen;
    return chosen.map((each): Chosen => {
      if (each.action === 'read' || each.code !== 'every') return each;
      this.#close(each.roles, 'every record may be written, which no condition says beside others');
      return { action: each.action, roles: [], code: undefined };
    });
  }

  #never(): Code {
    return noRecordCode(this.#adopted.key.kind ?? 'integer');
  }

  isolation(chosen: readonly Chosen[]): readonly Entry[] {
    if (chosen.every(({ code }) => code === 'every')) return [];
    const closed = chosen.filter(({ code }) => code === undefined).map(({ action }) => action);
    const comment =
      closed.length === 0 ? [] : [`Closed by a condition that no record meets: ${closed.join(', ')}.`];
    const object = chosen.map(({ action, code }): Entry => {
      if (code === 'every')
        return { key: action, value: action === 'read' ? textCode('everyone') : this.#never() };
      return { key: action, value: code ?? this.#never() };
    });
    const texts = new Set(object.map(({ value }) => lineOf(value)));
    const [first] = object;
    const value = texts.size === 1 && first?.value !== undefined ? first.value : { object };
    return [{ key: 'isolation', value, comment }];
  }

  /** The fields that every reader sees, where some are hidden. */
  views(chosen: readonly Chosen[]): readonly Entry[] {
    const hidden = new Set(chosen[0]?.roles[0]?.hidden);
    if (hidden.size === 0) return [];
    const names = this.#adopted.columns.flatMap(({ field }) =>
      field === undefined || field === 'version' || hidden.has(field) ? [] : [textCode(field)],
    );
    return [{ key: 'views', value: { object: [{ key: 'detail', value: { list: names } }] } }];
  }

  /** The fields that no caller of these roles writes. */
  restricted(chosen: readonly Chosen[]): readonly Entry[] {
    const writers = chosen.filter(
      ({ action, roles }) => ['create', 'update'].includes(action) && roles.length > 0,
    );
    const owner = this.ownership(chosen);
    // A record is the caller's by its owner, so no caller changes the id that stands for the owner elsewhere.
    const linked = [this.#known.owner, this.#known.fields.get(this.#known.caller ?? '')?.name];
    const fixed = this.#known.caller === undefined ? [] : linked.flatMap((name) => name ?? []);
    const names = new Set([...writers.flatMap(({ roles }) => roles[0]?.hidden ?? []), ...fixed]);
    for (const { action, roles } of writers) {
      const [first] = roles;
      const further = [...names].filter(
        (name) => !first?.hidden.includes(name) && name !== owner && !fixed.includes(name),
      );
      if (further.length > 0 && first !== undefined)
        this.#left.push({
          place: `${first.place} (${roles.map(({ role }) => role).join(', ')}, ${action})`,
          because: `${further.join(', ')} may not be written by the other action, so by none`,
        });
    }
    const fields = this.#adopted.columns.flatMap(({ field, definition }) =>
      field !== undefined && definition !== undefined && names.has(field) && !isServerSet(definition)
        ? [field]
        : [],
    );
    const left = fields.filter((field) => field !== owner);
    return left.length === 0 ? [] : [{ key: 'restricted', value: { list: left.map(textCode) } }];
  }

  /** The field that gets the caller of a create. */
  ownership(chosen: readonly Chosen[]): string | undefined {
    const of = (wanted: RowAction) => chosen.find(({ action }) => action === wanted)?.roles[0];
    const [create, update] = [of('create'), of('update')];
    if (create?.owner !== undefined) return create.owner;
    const { owner = '', caller } = this.#known;
    // The caller of a create is its owner anyway, and no update changes it.
    const isFixed = caller !== undefined || update?.hidden.includes(owner) === true;
    return create?.isOwned === true && isFixed ? owner : undefined;
  }

  rules(source: SourcePolicies, world: World): readonly RoleRule[] {
    const rules = source.rules.filter(({ table }) => tableText(table) === tableText(this.#adopted.table));
    return [...Map.groupBy(rules, ({ role }) => role).values()].flatMap((ofRole) =>
      rulesOfRole(ofRole, source, { world, known: this.#known, adopted: this.#adopted, left: this.#left }),
    );
  }
}

const isServerSet = ({ options }: FieldDefinition): boolean =>
  'generated' in options && options.generated === true;

/** The models in whose records a condition looks for the caller. */
const membershipsIn = (code: Code): readonly string[] => {
  if (typeof code === 'string') return [];
  if ('list' in code) return code.list.flatMap(membershipsIn);
  if ('object' in code) return code.object.flatMap(({ value }) => membershipsIn(value));
  const [, options] = code.of;
  if (code.call !== 'member') return code.of.flatMap(membershipsIn);
  if (options === undefined || typeof options === 'string' || !('object' in options)) return [];
  const of = options.object.find(({ key }) => key === 'of')?.value;
  return typeof of === 'string' ? [of] : [];
};

/** The field `user_id` as that of the owner. */
const withOwner = (adopted: AdoptedModel): AdoptedModel => {
  const columns = adopted.columns.map((column) => {
    if (column.field !== 'user_id' || column.definition === undefined) return column;
    const { unique } = column.definition.options as { readonly unique?: boolean };
    const ownership = { to: 'User', owner: true };
    const options = unique === true ? { ...ownership, unique } : ownership;
    return { ...column, definition: { ...column.definition, options } };
  });
  const owner = columns.find(({ field }) => field === 'user_id')?.definition;
  const entries = adopted.entries.map((entry): Entry => {
    const { key, value } = entry;
    if (key !== 'fields' || owner === undefined || typeof value === 'string' || !('object' in value))
      return entry;
    const object = value.object.map((each) =>
      each.key === 'user_id' ? { ...each, value: fieldCode(owner) } : each,
    );
    return { ...entry, value: { ...value, object } };
  });
  return { ...adopted, columns, entries };
};

/** The entries of a model with those of its rules, behind its permissions. */
const withEntries = (adopted: AdoptedModel, added: readonly Entry[]): AdoptedModel => {
  const entries = adopted.entries.flatMap((entry) =>
    entry.key === 'permissions' ? [entry, ...added] : [entry],
  );
  return { ...adopted, entries };
};

/** The owner of a model's records, if a policy can ask for it. */
const ownerOf = ({ columns }: AdoptedModel): string | undefined =>
  columns.find(
    ({ field, definition }) =>
      field === 'user_id' && definition?.type.target?.(definition.options) === 'User',
  )?.field;

const worldOf = (models: readonly AdoptedModel[], { callerColumns, callerModel }: PolicyRequest): World => {
  const known = new Map(
    models.map((adopted): [string, KnownFields] => {
      const table = tableText(adopted.table);
      const caller = callerColumns.find((each) => each.table === table)?.column;
      return [table, knownFields(adopted, ownerOf(adopted), caller)];
    }),
  );
  // Each user has one record at most where its owner is unique: its id stands for the caller elsewhere.
  const single = [...known.values()].find(
    ({ owner, caller, fields }) =>
      owner !== undefined &&
      caller !== undefined &&
      [...fields.values()].some(({ name, definition }) => name === owner && 'unique' in definition.options),
  );
  return { byTable: known, callers: callerModel ?? single };
};

/** Adds the rules of a source to models, with a report. */
export const applyPolicies = (
  models: readonly AdoptedModel[],
  request: PolicyRequest,
): { readonly models: readonly AdoptedModel[]; readonly report: PolicyReport } => {
  const { source } = request;
  const world = worldOf(models, request);
  const left: LeftPolicy[] = [...source.left];
  const mapped: PolicyReport['mapped'][number][] = [];
  const grants = new Map<string, Map<string, RowAction[]>>();
  const memberships = new Set<string>();
  const tables = new Set(models.map(({ table }) => tableText(table)));
  for (const { place, table, role, action } of source.rules)
    if (!tables.has(tableText(table)))
      left.push({ place: `${place} (${role}, ${action})`, because: `${table.name} has no model` });
  const changed = models.map((adopted): AdoptedModel => {
    const table = tableText(adopted.table);
    const known = world.byTable.get(table);
    if (known === undefined) return adopted;
    const policies = new ModelPolicies(adopted, known, left);
    if (!source.rules.some((rule) => tableText(rule.table) === table))
      return known.caller === undefined
        ? adopted
        : { ...withEntries(adopted, policies.restricted([])), policies: { policies: source.name } };
    const chosen = policies.choose(policies.rules(source, world));
    for (const { action, roles, code } of chosen) {
      if (code === undefined || roles.length === 0) continue;
      if (code !== 'every') for (const name of membershipsIn(code)) memberships.add(name);
      const rule = ruleText({ code });
      mapped.push({ table, model: adopted.model, action, roles: roles.map(({ role }) => role), rule });
      for (const { role } of roles) {
        const ofRole = grants.get(role) ?? new Map<string, RowAction[]>();
        ofRole.set(adopted.model, [...(ofRole.get(adopted.model) ?? []), action]);
        grants.set(role, ofRole);
      }
    }
    const owner = policies.ownership(chosen);
    if (owner !== undefined) memberships.add(textCode(adopted.model));
    const ownership: Entry[] = owner === undefined ? [] : [{ key: 'ownership', value: 'true' }];
    const facts = Object.fromEntries(
      chosen.map(({ action, roles, code }) => [
        `rule ${action}`,
        code === undefined
          ? 'closed'
          : `${ruleText({ code })} for ${roles.map(({ role }) => role).join(', ')}`,
      ]),
    );
    const added = [
      ...policies.isolation(chosen),
      ...ownership,
      ...policies.restricted(chosen),
      ...policies.views(chosen),
    ];
    return { ...withEntries(adopted, added), policies: { policies: source.name, ...facts } };
  });
  const owned = changed.map((adopted) =>
    memberships.has(textCode(adopted.model)) ? withOwner(adopted) : adopted,
  );
  return { models: owned, report: { source: source.name, mapped, left: distinct(left), grants } };
};

const distinct = (left: readonly LeftPolicy[]): readonly LeftPolicy[] => [
  ...new Map(left.map((each) => [`${each.place}\n${each.because}`, each])).values(),
];
