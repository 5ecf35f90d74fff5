import { describe, expect, it } from 'vitest';
import { createApplication } from '../app/application.ts';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import type { RowExpression } from '../model/row-expression.ts';
import { applicationPolicy } from './application-policy.ts';
import { changesBetween } from './changes.ts';
import { bothOf } from './policy.ts';
import { changesJson, changesLines, checkOutcome } from './report.ts';
import { type FieldShape, type Shapes, unknownField } from './shapes.ts';
import { compareConditions } from './verdict.ts';
import { AccessWords } from './words.ts';

const equals = (column: string, value: boolean | string): RowExpression => ({
  kind: 'equals',
  column,
  value,
  said: String(value),
});
const own: RowExpression = { kind: 'own', column: 'user_id' };
const anyOf = (...rules: RowExpression[]): RowExpression => ({ kind: 'anyOf', rules });
const allOf = (...rules: RowExpression[]): RowExpression => ({ kind: 'allOf', rules });
const everything = allOf();

const flag: FieldShape = {
  ...unknownField,
  kind: 'boolean',
  column: 'boolean',
  required: true,
  values: [true, false],
};

const shapesOf = (fields: Readonly<Record<string, FieldShape>>): Shapes =>
  new Map([['Thing', { fields: new Map(Object.entries(fields)), unique: [], givesIds: false }]]);

const subject = (shapes: Shapes) => ({ shapes, model: 'Thing', action: 'read', user: true }) as const;

const pigeons = 9;
const holes = pigeons - 1;
const name = (pigeon: number, hole: number): string => `p${pigeon}_${hole}`;
const each = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Holds in every record, as pigeons do not fit into fewer holes; to find that out takes very long. */
const crowded: RowExpression = anyOf(
  ...each(pigeons).map((pigeon) => allOf(...each(holes).map((hole) => equals(name(pigeon, hole), false)))),
  ...each(holes).flatMap((hole) =>
    each(pigeons).flatMap((one) =>
      each(one).map((other) => allOf(equals(name(one, hole), true), equals(name(other, hole), true))),
    ),
  ),
);
const crowdedNames = each(pigeons).flatMap((pigeon) => each(holes).map((hole) => name(pigeon, hole)));
const crowdedShapes = shapesOf(Object.fromEntries(crowdedNames.map((of) => [of, flag])));

describe('a verdict', () => {
  it('conditions that take too long are undecided, never equal', () => {
    const started = performance.now();
    expect(compareConditions(subject(crowdedShapes), everything, crowded, 2000).verdict).toBe('undecided');
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('the same conditions in another order are equal, however many there are', () => {
    const names = each(40).map((at) => `f${at}`);
    const shapes = shapesOf(Object.fromEntries(names.map((of) => [of, flag])));
    const pairs = each(20).map((at) => anyOf(equals(`f${2 * at}`, true), equals(`f${2 * at + 1}`, false)));
    expect(compareConditions(subject(shapes), allOf(...pairs), allOf(...pairs.toReversed()))).toEqual({
      verdict: 'equal',
      gained: undefined,
      lost: undefined,
    });
  });

  it('a field with few values meets one of them, unless it may be null', () => {
    const both = anyOf(equals('open', true), equals('open', false));
    const required = subject(shapesOf({ open: flag }));
    expect(compareConditions(required, everything, both).verdict).toBe('equal');
    const optional = subject(shapesOf({ open: { ...flag, required: false } }));
    const { verdict, lost } = compareConditions(optional, everything, both);
    expect([verdict, lost?.record['open']]).toEqual(['narrower', null]);
  });

  it('a field with any number of values never meets all of them', () => {
    const text: FieldShape = { ...unknownField, required: true };
    const { verdict, lost } = compareConditions(
      subject(shapesOf({ code: text })),
      everything,
      anyOf(equals('code', 'other 1'), equals('code', 'other 2')),
    );
    expect([verdict, lost?.record['code']]).toEqual(['narrower', 'other 3']);
  });

  it('callers who are no users meet no condition on the caller', () => {
    const shapes = shapesOf({
      open: flag,
      user_id: { ...unknownField, column: 'integer', reference: 'User' },
    });
    const [before, after] = [anyOf(own, equals('open', true)), equals('open', true)];
    expect(compareConditions({ ...subject(shapes), user: false }, before, after).verdict).toBe('equal');
    expect(compareConditions(subject(shapes), before, after).verdict).toBe('narrower');
  });

  it('a reference that meets any condition has to name a record', () => {
    const stored = { schema: undefined, name: 'things', columns: new Map<string, string>() };
    const via: RowExpression = { kind: 'via', column: 'parent_id', model: 'Thing', stored, rule: everything };
    const parent: FieldShape = { ...unknownField, column: 'integer', reference: 'Thing' };
    const optional = subject(shapesOf({ parent_id: parent }));
    expect(compareConditions(optional, everything, via).verdict).toBe('narrower');
    const required = subject(shapesOf({ parent_id: { ...parent, required: true } }));
    expect(compareConditions(required, everything, via).verdict).toBe('equal');
  });

  it('joined conditions are without what another one implies', () => {
    expect(bothOf(own, anyOf(equals('open', true), own), own)).toEqual(own);
    expect(bothOf(own, equals('open', true))).toEqual(allOf(own, equals('open', true)));
    expect(bothOf(own, anyOf())).toEqual(anyOf());
    expect(bothOf()).toEqual(everything);
  });

  it('a change that is not decided is named, and fails a check', () => {
    const resources = (isolation: object) => [
      defineResource('Thing', { fields: { open: field.boolean(), user_id: field.owner() }, ...isolation }),
    ];
    const application = createApplication({ resources: resources({ isolation: true }) });
    const before = applicationPolicy(application);
    const after = applicationPolicy(createApplication({ resources: resources({}) }));
    const changes = changesBetween(before, after);
    const conditions = changes.conditions.map((change) => ({
      ...change,
      judgement: {
        ...change.judgement,
        verdict: change.changed ? ('undecided' as const) : ('equal' as const),
      },
    }));
    const words = new AccessWords(application.models, 'en');
    expect(checkOutcome(changes)).toBe('changed');
    expect(checkOutcome({ ...changes, conditions })).toBe('undecided');
    const lines = changesLines({ ...changes, conditions }, words, after.shapes);
    expect(lines[0]).toBe('Not decided: too large');
    expect(lines[1]).toContain('the conditions are too large to be decided');
    const list = changesJson({ ...changes, conditions }, words, after.shapes);
    expect(list).toContainEqual(expect.objectContaining({ verdict: 'undecided', gained: null, lost: null }));
  });
});
