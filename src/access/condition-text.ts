/** Conditions as text of `access.lock`, in the words of model files, and back. */

import type { ColumnValue } from '../fields/field.ts';
import type { RowExpression, RowMember } from '../model/row-expression.ts';

/** A value; what the model file says is added where a column has another form of it. */
const valueText = (value: ColumnValue, said: string | undefined): string => {
  const text = JSON.stringify(value);
  return said === undefined || said === String(value) ? text : `${text} as ${JSON.stringify(said)}`;
};

const whereText = ({ column, values, said }: RowMember['where'][number]): string => {
  const texts = values.map((value, at) => valueText(value, said[at]));
  return `, ${column}: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`;
};

/** A condition in one line: `anyOf(own(user_id), member(team_id, Membership.team_id of user_id, role: "owner"))`. */
export const conditionText = (expression: RowExpression): string => {
  switch (expression.kind) {
    case 'own':
      return `own(${expression.column})`;
    case 'equals':
      return `equals(${expression.column}, ${valueText(expression.value, expression.said)})`;
    case 'member': {
      const { column, model, on, owner, where } = expression;
      return `member(${column}, ${model}.${on} of ${owner}${where.map(whereText).join('')})`;
    }
    case 'via':
      return `via(${expression.column}, ${expression.model}, ${conditionText(expression.rule)})`;
    case 'anyOf':
      return expression.rules.length === 0
        ? 'nothing'
        : `anyOf(${expression.rules.map(conditionText).join(', ')})`;
    case 'allOf':
      return expression.rules.length === 0
        ? 'everything'
        : `allOf(${expression.rules.map(conditionText).join(', ')})`;
  }
};

/** A text that is no condition. */
class ConditionTextError extends Error {}

const name = /^[A-Za-z_][A-Za-z0-9_]*/;
const json = /^(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/;

/** The deepest nesting that is read. */
const deepest = 200;

class ConditionReader {
  #rest: string;
  #depth = 0;

  constructor(text: string) {
    this.#rest = text;
  }

  get rest(): string {
    return this.#rest;
  }

  fail(): never {
    throw new ConditionTextError(`"${this.#rest.slice(0, 40)}" is no part of a condition`);
  }

  take(pattern: RegExp): string {
    const [found] = pattern.exec(this.#rest) ?? [];
    if (found === undefined) return this.fail();
    this.#rest = this.#rest.slice(found.length);
    return found;
  }

  skips(text: string): boolean {
    if (!this.#rest.startsWith(text)) return false;
    this.#rest = this.#rest.slice(text.length);
    return true;
  }

  expect(text: string): void {
    if (!this.skips(text)) this.fail();
  }

  value(): readonly [NonNullable<ColumnValue>, string] {
    const value = JSON.parse(this.take(json)) as ColumnValue;
    if (value === null) return this.fail();
    return [value, this.skips(' as ') ? String(JSON.parse(this.take(json))) : String(value)];
  }

  values(): readonly (readonly [NonNullable<ColumnValue>, string])[] {
    if (!this.skips('[')) return [this.value()];
    const values = [this.value()];
    while (this.skips(', ')) values.push(this.value());
    this.expect(']');
    return values;
  }

  member(): RowExpression {
    const column = this.take(name);
    this.expect(', ');
    const model = this.take(name);
    this.expect('.');
    const on = this.take(name);
    this.expect(' of ');
    const owner = this.take(name);
    const where: RowMember['where'][number][] = [];
    while (this.skips(', ')) {
      const of = this.take(name);
      this.expect(': ');
      const values = this.values();
      where.push({
        column: of,
        values: values.map(([value]) => value),
        said: values.map(([, said]) => said),
      });
    }
    return { kind: 'member', column, model, stored: storedAs(model), on, owner, where };
  }

  equals(): RowExpression {
    const column = this.take(name);
    this.expect(', ');
    const [value, said] = this.value();
    return { kind: 'equals', column, value, said };
  }

  via(): RowExpression {
    const column = this.take(name);
    this.expect(', ');
    const model = this.take(name);
    this.expect(', ');
    return { kind: 'via', column, model, stored: storedAs(model), rule: this.condition() };
  }

  several(kind: 'anyOf' | 'allOf'): RowExpression {
    const rules = [this.condition()];
    while (this.skips(', ')) rules.push(this.condition());
    return { kind, rules };
  }

  condition(): RowExpression {
    const word = this.take(name);
    if (word === 'everything') return { kind: 'allOf', rules: [] };
    if (word === 'nothing') return { kind: 'anyOf', rules: [] };
    this.expect('(');
    this.#depth += 1;
    if (this.#depth > deepest) throw new ConditionTextError('a condition is nested too deeply');
    const made = this.#inside(word);
    this.#depth -= 1;
    this.expect(')');
    return made;
  }

  #inside(word: string): RowExpression {
    switch (word) {
      case 'own':
        return { kind: 'own', column: this.take(name) };
      case 'equals':
        return this.equals();
      case 'member':
        return this.member();
      case 'via':
        return this.via();
      case 'anyOf':
      case 'allOf':
        return this.several(word);
      default:
        return this.fail();
    }
  }
}

/** The table of a condition that was read from text: nothing asks it. */
const storedAs = (model: string) => ({ schema: undefined, name: model, columns: new Map<string, string>() });

/** Reads a condition. @throws ConditionTextError */
export const conditionFromText = (text: string): RowExpression => {
  const reader = new ConditionReader(text);
  const condition = reader.condition();
  return reader.rest === '' ? condition : reader.fail();
};
