/** The changes between two policies: the verdict about each condition, and its callers. */

import { isNever, type RowExpression } from '../model/row-expression.ts';
import type { CodePart } from './code.ts';
import { conditionText } from './condition-text.ts';
import { type CallerGroup, groupCallers } from './lock-file.ts';
import {
  bothOf,
  type FieldRight,
  type FieldVerb,
  type Policy,
  type Right,
  type RightAction,
} from './policy.ts';
import { type Shapes, widerShapes } from './shapes.ts';
import { type ConditionSubject, compareConditions, type Judgement } from './verdict.ts';

/** A condition of one version or both, and the verdict about it. */
export interface AccessChange {
  readonly subject: string;
  readonly action: RightAction;
  /** A field, and what is done with it; absent where the records themselves are meant. */
  readonly field?: { readonly verb: FieldVerb; readonly name: string } | undefined;
  readonly callers: readonly CallerGroup[];
  /** True for users: conditions on the caller can hold. */
  readonly user: boolean;
  /** The condition of the records; never true where there was no right, or is none any more. */
  readonly before: RowExpression;
  readonly after: RowExpression;
  /** The same of a field alone, among the records of its right. */
  readonly said: { readonly before: RowExpression; readonly after: RowExpression };
  /** True if the texts of the two conditions are different. */
  readonly changed: boolean;
  readonly judgement: Judgement;
}

/** A function of either version. `changed` also where one version lacks it. */
export interface CodeChange extends Pick<CodePart, 'subject' | 'part'> {
  readonly state: 'same' | 'changed' | 'added' | 'removed';
}

export interface AccessChanges {
  readonly conditions: readonly AccessChange[];
  readonly code: readonly CodeChange[];
}

const never: RowExpression = { kind: 'anyOf', rules: [] };
const always: RowExpression = { kind: 'allOf', rules: [] };

const keyOf = ({ subject, action, caller, method }: Omit<Right, 'rows' | 'fields'>): string =>
  JSON.stringify([subject, action, caller, method ?? null]);

/** The rights of a policy, found for callers whom it does not tell apart from others. */
class Rights {
  readonly #known: ReadonlyMap<string, Right>;

  constructor({ rights }: Policy) {
    this.#known = new Map(rights.map((right) => [keyOf(right), right]));
  }

  get all(): Iterable<Right> {
    return this.#known.values();
  }

  of(place: Omit<Right, 'rows' | 'fields'>): Right | undefined {
    return this.#exact(place) ?? this.#exact({ ...place, caller: 'anonymous', method: undefined });
  }

  /** Somebody with a grant, or with a role, is a user where neither is asked. */
  #exact(place: Omit<Right, 'rows' | 'fields'>): Right | undefined {
    const known = this.#known.get(keyOf(place));
    if (known !== undefined) return known;
    const plain = / with /.test(place.caller)
      ? place.caller.replace(/ with .*$/, '')
      : place.caller.replace(/^role .*$/, 'user');
    return plain === place.caller ? undefined : this.#known.get(keyOf({ ...place, caller: plain }));
  }
}

const decidedBy: Readonly<Record<RightAction, ConditionSubject['action']>> = {
  list: 'read',
  detail: 'read',
  history: 'read',
  create: 'create',
  update: 'update',
  destroy: 'destroy',
  trash: 'manage',
  call: 'read',
  register: 'read',
};

/** One condition of both versions, for one caller. */
interface Pair extends Pick<AccessChange, 'subject' | 'action' | 'field' | 'before' | 'after' | 'said'> {
  readonly caller: Pick<Right, 'caller' | 'method'>;
}

const isUser = (caller: string): boolean => caller !== 'anonymous' && caller !== 'application';

const fieldsBy = (right: Right | undefined): ReadonlyMap<string, FieldRight> =>
  new Map((right?.fields ?? []).map((each) => [`${each.verb} ${each.field}`, each]));

/** The conditions of a field in both versions; none where it has the same words in both. */
const fieldPairs = (
  place: Pick<Pair, 'subject' | 'action' | 'caller'>,
  before: Right | undefined,
  after: Right | undefined,
): readonly Pair[] => {
  // A caller without the right in one version gains or loses all of it at once.
  if (before === undefined || after === undefined) return [];
  const [fieldsBefore, fieldsAfter] = [fieldsBy(before), fieldsBy(after)];
  const isChanged = conditionText(before.rows) !== conditionText(after.rows);
  return [...new Set([...fieldsBefore.keys(), ...fieldsAfter.keys()])].flatMap((key): Pair[] => {
    const [was, is] = [fieldsBefore.get(key), fieldsAfter.get(key)];
    const { verb, field: name } = was ?? is ?? { verb: 'reads', field: key };
    const [whenBefore, whenAfter] = [was?.when ?? never, is?.when ?? never];
    const [textBefore, textAfter] = [conditionText(whenBefore), conditionText(whenAfter)];
    // Then the change is that of the records, which is said by itself.
    const isSame = textBefore === textAfter;
    if (isSame && (textBefore === conditionText(always) || isChanged)) return [];
    const [one, other] = [bothOf(before.rows, whenBefore), bothOf(after.rows, whenAfter)];
    const said = { before: whenBefore, after: whenAfter };
    return [{ ...place, field: { verb, name }, before: one, after: other, said }];
  });
};

const pairsOf = (before: Policy, after: Policy): readonly Pair[] => {
  const [one, other] = [new Rights(before), new Rights(after)];
  const places = new Map([...one.all, ...other.all].map((right) => [keyOf(right), right]));
  return [...places.values()].flatMap((right) => {
    const { subject, action, caller, method } = right;
    const place = { subject, action, caller: { caller, method } };
    const [was, is] = [one.of(right), other.of(right)];
    const said = { before: was?.rows ?? never, after: is?.rows ?? never };
    const rows: Pair = { ...place, ...said, said };
    return [rows, ...fieldPairs(place, was, is)];
  });
};

/** Decides each pair of conditions once, however many callers and actions have it. */
class Judge {
  readonly #shapes: Shapes;
  readonly #known = new Map<string, Judgement>();

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  of(
    model: string,
    action: ConditionSubject['action'],
    user: boolean,
    before: RowExpression,
    after: RowExpression,
  ): Judgement {
    const key = JSON.stringify([model, action, user, conditionText(before), conditionText(after)]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = compareConditions({ shapes: this.#shapes, model, action, user }, before, after);
    this.#known.set(key, made);
    return made;
  }
}

const codeChanges = (before: readonly CodePart[], after: readonly CodePart[]): readonly CodeChange[] => {
  const keyed = (parts: readonly CodePart[]) =>
    new Map(parts.map((each) => [`${each.subject} ${each.part}`, each]));
  const [one, other] = [keyed(before), keyed(after)];
  return [...new Map([...one, ...other]).entries()].map(([key, { subject, part }]) => {
    const [was, is] = [one.get(key), other.get(key)];
    if (was === undefined) return { subject, part, state: 'added' };
    if (is === undefined) return { subject, part, state: 'removed' };
    return { subject, part, state: was.digest === is.digest ? 'same' : 'changed' };
  });
};

/** Compares two policies: every condition of either, and every function. */
export const changesBetween = (before: Policy, after: Policy): AccessChanges => {
  const judge = new Judge(widerShapes(before.shapes, after.shapes));
  const groups = Map.groupBy(
    pairsOf(before, after),
    ({ subject, action, field, before: one, after: other, caller }) =>
      JSON.stringify([
        subject,
        action,
        field ?? null,
        conditionText(one),
        conditionText(other),
        isUser(caller.caller),
      ]),
  );
  const conditions = [...groups.values()].flatMap((pairs): AccessChange[] => {
    const [pair] = pairs;
    if (pair === undefined) return [];
    const { subject, action, field, before: one, after: other, said, caller } = pair;
    const user = isUser(caller.caller);
    const changed = conditionText(one) !== conditionText(other);
    if (!changed && field !== undefined && isNever(one)) return [];
    const judgement: Judgement = changed
      ? judge.of(subject, decidedBy[action], user, one, other)
      : { verdict: 'equal', gained: undefined, lost: undefined };
    const callers = groupCallers(pairs.map((each) => each.caller));
    return [{ subject, action, field, callers, user, before: one, after: other, said, changed, judgement }];
  });
  return { conditions, code: codeChanges(before.code, after.code) };
};
