/**
 * Explains the conditions of a row rule for a caller and a record, without values that the administrator may not read.
 */

import type { Principal } from '../../auth/principal.ts';
import type { Database } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import { defaultKey } from '../../fields/keys.ts';
import { readsInArea } from '../../http/administration.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { isNever, type RowExpression, withoutCaller } from '../../model/row-expression.ts';
import { rowWords } from '../../model/row-words.ts';
import { writableFields } from '../../policy/decide.ts';
import { type RowOutcome, rowOutcomes } from '../../records/rows.ts';
import type { ServedResource } from '../../resources/operations.ts';

/**
 * Subject of the outcomes of conditions: the record that the path names, each record of a list, a body that an
 * explanation does not know, or a record that is not there for the caller.
 */
export type ConditionsAbout = 'record' | 'list' | 'body' | 'unknown';

/** A condition of a row rule, and how it stands for the caller. */
export type ExplainedCondition = {
  readonly kind: RowExpression['kind'];
  /** For developers, in the names of fields and models. */
  readonly words: string;
  /** `narrowed`: it depends on a record that is not known here. */
  readonly outcome: 'passed' | 'refused' | 'narrowed';
  /** True if it decides: the first alternative that holds, or the first demand that does not hold. */
  readonly decides: boolean;
  /** The model of the compared field. */
  readonly model: string;
  readonly field?: string;
  /** Value that `equals` compares with. */
  readonly value?: string;
  /** The model of the memberships, or the one that the reference names. */
  readonly of?: string;
  readonly on?: string;
  readonly where?: readonly { readonly field: string; readonly values: readonly string[] }[];
  /** The record, or the list of memberships, where the outcome can be changed: a path of this area, or null. */
  readonly change_at: string | null;
  readonly conditions?: readonly ExplainedCondition[];
};

export type ExplainedConditions = {
  readonly about: ConditionsAbout;
  readonly rule: ExplainedCondition;
};

/** The conditions that are explained, and their caller. */
export interface ConditionsAsked {
  readonly model: ResourceModel;
  readonly expression: RowExpression;
  /** Subject of the outcomes where the path names no record. */
  readonly otherwise: Exclude<ConditionsAbout, 'record'>;
  /** The record that the path names. */
  readonly id: RecordId | undefined;
  readonly caller: Principal;
}

/** The record that a condition is about, with its outcome; both undefined where they are not known. */
interface AskedRecord {
  readonly model: ResourceModel;
  readonly id: RecordId | undefined;
  readonly outcome: RowOutcome | undefined;
}

const outcomeOf = (expression: RowExpression, known: RowOutcome | undefined, caller: Principal) => {
  if (known !== undefined) return known.holds ? 'passed' : 'refused';
  if (expression.kind === 'allOf' && expression.rules.length === 0) return 'passed';
  // A principal that is no user owns nothing and is a member of nothing, whichever record it is.
  return isNever(caller.kind === 'user' ? expression : withoutCaller(expression)) ? 'refused' : 'narrowed';
};

/** The outcome within that decides for the whole; undefined where that is none of them alone. */
const decisiveWithin = ({ kind, outcome, conditions = [] }: ExplainedCondition) => {
  const [only, second] = conditions;
  if (second === undefined) return only?.outcome === outcome ? only : undefined;
  const turns = kind === 'anyOf' ? 'passed' : 'refused';
  return outcome === turns ? conditions.find((each) => each.outcome === outcome) : undefined;
};

/** Marks the one condition that decides, as far within as it is one alone. */
const markDecisive = (condition: ExplainedCondition): ExplainedCondition => {
  if (condition.outcome === 'narrowed') return condition;
  const within = decisiveWithin(condition);
  if (within === undefined || condition.conditions === undefined) return { ...condition, decides: true };
  const conditions = condition.conditions.map((each) => (each === within ? markDecisive(each) : each));
  return { ...condition, conditions };
};

export interface ConditionParts {
  readonly database: Database;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

const recordsOf = ({ path }: ResourceModel): string => `/admin/records/${path}`;

/** Explains row rules to one administrator. */
export class ConditionExplainer {
  readonly #database: Database;
  readonly #resources: ReadonlyMap<string, ServedResource>;
  readonly #asker: Principal;

  constructor({ database, resources }: ConditionParts, asker: Principal) {
    this.#database = database;
    this.#resources = resources;
    this.#asker = asker;
  }

  async explain(asked: ConditionsAsked): Promise<ExplainedConditions> {
    const { model, expression, id, caller } = asked;
    const grant = id === undefined ? undefined : readsInArea(this.#asker, model);
    const user = caller.kind === 'user' ? caller.id : null;
    const outcome =
      id === undefined || grant === undefined
        ? undefined
        : await rowOutcomes(
            this.#database,
            model,
            grant,
            id,
            expression,
            user,
            (name) => this.#resources.get(name)?.model.key ?? defaultKey,
          );
    const place = { model, id: outcome === undefined ? undefined : id, outcome };
    return {
      about: outcome === undefined ? asked.otherwise : 'record',
      rule: markDecisive(this.#explainCondition(expression, place, caller)),
    };
  }

  #explainCondition(expression: RowExpression, place: AskedRecord, caller: Principal): ExplainedCondition {
    const conditions = this.#within(expression, place, caller);
    return {
      kind: expression.kind,
      words: rowWords(expression),
      outcome: outcomeOf(expression, place.outcome, caller),
      decides: false,
      model: place.model.name,
      ...partsOf(expression),
      change_at: this.#changeAt(expression, place, caller),
      ...(conditions === undefined ? {} : { conditions }),
    };
  }

  #within(expression: RowExpression, place: AskedRecord, caller: Principal) {
    if (expression.kind === 'via')
      return [this.#explainCondition(expression.rule, this.#referredRecord(expression, place), caller)];
    if (!('rules' in expression)) return undefined;
    return expression.rules.map((rule, index) =>
      this.#explainCondition(rule, { ...place, outcome: place.outcome?.within[index] }, caller),
    );
  }

  /** Record that a reference names, where there is one and the caller may know of it. */
  #referredRecord(
    expression: Extract<RowExpression, { kind: 'via' }>,
    { outcome }: AskedRecord,
  ): AskedRecord {
    const model = this.#model(expression.model);
    return outcome?.id === undefined || !this.#reads(model)
      ? { model, id: undefined, outcome: undefined }
      : { model, id: outcome.id, outcome: outcome.within[0] };
  }

  #changeAt(expression: RowExpression, place: AskedRecord, caller: Principal): string | null {
    if ('rules' in expression) return null;
    const { kind, column } = expression;
    if (kind === 'own' || kind === 'equals') return this.#recordAt(place, column);
    const named = this.#model(expression.model);
    const id = place.outcome?.id;
    if (kind === 'via' && place.outcome !== undefined && id === undefined)
      return this.#recordAt(place, column);
    if (!this.#reads(named)) return null;
    if (id !== undefined) return `${recordsOf(named)}/${id}`;
    // No row makes a principal a member that is no user.
    return kind === 'member' && caller.kind === 'user' ? recordsOf(named) : null;
  }

  /** The record, where its field can be given another value at all. */
  #recordAt({ model, id }: AskedRecord, column: string): string | null {
    return id !== undefined && writableFields(model, this.#asker, 'admin').has(column)
      ? `${recordsOf(model)}/${id}`
      : null;
  }

  #reads(model: ResourceModel): boolean {
    return readsInArea(this.#asker, model) !== undefined;
  }

  #model(name: string): ResourceModel {
    const model = this.#resources.get(name)?.model;
    if (model === undefined) throw new Error(`no model ${name}`);
    return model;
  }
}

/** A condition in the names of the API. */
const partsOf = (expression: RowExpression) => {
  switch (expression.kind) {
    case 'own':
      return { field: expression.column };
    case 'equals':
      return { field: expression.column, value: expression.said };
    case 'member': {
      const { column, model, on, where } = expression;
      return {
        field: column,
        of: model,
        on,
        where: where.map((each) => ({ field: each.column, values: each.said })),
      };
    }
    case 'via':
      return { field: expression.column, of: expression.model };
    case 'anyOf':
    case 'allOf':
      return {};
  }
};
