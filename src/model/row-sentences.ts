/** Row rules in sentences for people, with the labels of the reader's language, and as a tree in JSON. */

import type { Json, JsonObject } from '../kernel/json.ts';
import { forLocale, type Locale, labelText, type ServiceLocale } from '../kernel/messages.ts';
import type { Models } from './models.ts';
import type { ResourceModel } from './resource.ts';
import {
  type Isolation,
  namedRules,
  type RowExpression,
  type RowMember,
  type RowRuleName,
} from './row-expression.ts';

/** The reader of a rule in words. */
export interface RowReader {
  readonly models: Models;
  /** True if a field, and a value of it, may be named. */
  readonly shows: (model: ResourceModel, field: string) => boolean;
}

/** A reader who knows the model files. */
export const everyName = (models: Models): RowReader => ({ models, shows: () => true });

/** The differences between the languages. Names arrive in displayable form. */
interface Phrases {
  readonly every: string;
  readonly none: string;
  readonly hiddenField: string;
  readonly hiddenValue: string;
  readonly thisRecord: string;
  readonly or: string;
  readonly and: string;
  readonly brackets: readonly [string, string];
  readonly named: (label: string, name: string) => string;
  readonly valued: (label: string, value: string) => string;
  readonly records: (rule: string) => string;
  readonly own: (field: string) => string;
  readonly equals: (field: string, values: readonly string[]) => string;
  readonly of: (record: string, field: string) => string;
  readonly such: (model: string) => string;
  readonly member: (model: string, conditions: readonly string[]) => string;
  readonly same: (field: string, other: string) => string;
  readonly via: (field: string, model: string, rule: string) => string;
  /** Chinese has no blanks; names are in backticks with blanks around them. */
  readonly spaced: (text: string) => string;
}

const phrases: Readonly<Record<ServiceLocale, Phrases>> = {
  'zh-CN': {
    every: '全部记录',
    none: '没有任何记录',
    hiddenField: '某个未公开的字段',
    hiddenValue: '特定值',
    thisRecord: '该记录',
    or: '，或者 ',
    and: '，并且 ',
    brackets: ['（', '）'],
    named: (label, name) => `${label} \`${name}\``,
    valued: (label, value) => `\`${value}\`（${label}）`,
    records: (rule) => `满足以下条件的记录：${rule}`,
    own: (field) => `${field} 是调用者`,
    equals: (field, values) => `${field} 为 ${values.join(' 或 ')}`,
    of: (record, field) => `${record} 的 ${field}`,
    such: (model) => `该 ${model}`,
    member: (model, conditions) => `调用者拥有一条 ${model} 记录，其 ${conditions.join('，且 ')}`,
    same: (field, other) => `${field} 等于 ${other}`,
    via: (field, model, rule) => `${field} 指向的 ${model} 满足：${rule}`,
    spaced: (text) => text.replaceAll(/([\p{Script=Han}）]) (?=[\p{Script=Han}（])/gu, '$1'),
  },
  en: {
    every: 'Every record',
    none: 'No record',
    hiddenField: 'a field that is not shown',
    hiddenValue: 'a certain value',
    thisRecord: 'the record',
    or: ', or ',
    and: ', and ',
    brackets: ['(', ')'],
    named: (label, name) => `${label} \`${name}\``,
    valued: (label, value) => `\`${value}\` (${label})`,
    records: (rule) => `Records where ${rule}`,
    own: (field) => `${field} is the caller`,
    equals: (field, values) => `${field} is ${values.join(' or ')}`,
    of: (record, field) => `${record}’s ${field}`,
    such: (model) => `that ${model}`,
    member: (model, conditions) => `the caller owns a record of ${model} where ${conditions.join(' and ')}`,
    same: (field, other) => `${field} is ${other}`,
    via: (field, model, rule) => `${field} names a record of ${model} where ${rule}`,
    spaced: (text) => text,
  },
};

const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** Label and name; the name alone where the label adds nothing. */
const labelled = (label: string, name: string, join: Phrases['named']): string =>
  [plain(name), plain(name.replace(/_id$/, ''))].includes(plain(label)) ? `\`${name}\`` : join(label, name);

const modelOf = ({ models }: RowReader, name: string): ResourceModel => {
  const model = models.get(name);
  if (model === undefined) throw new Error(`no model ${name}`);
  return model;
};

/** True if it equals its only part, which has its own brackets. */
const isSingle = (expression: RowExpression): boolean =>
  'rules' in expression && expression.rules.length === 1;

/** Creates the sentences for one reader in one language. */
class Narrator {
  readonly #reader: RowReader;
  readonly #locale: Locale;
  readonly #phrases: Phrases;

  constructor(reader: RowReader, locale: Locale) {
    this.#reader = reader;
    this.#locale = locale;
    this.#phrases = forLocale(phrases, locale);
  }

  #model({ label, name }: ResourceModel): string {
    return labelled(labelText(label, this.#locale), name, this.#phrases.named);
  }

  #field(model: ResourceModel, column: string): string {
    if (!this.#reader.shows(model, column)) return this.#phrases.hiddenField;
    const field = model.fields.get(column);
    return field === undefined
      ? `\`${column}\``
      : labelled(labelText(field.label, this.#locale), column, this.#phrases.named);
  }

  #equals(model: ResourceModel, column: string, values: readonly string[]): string {
    const field = model.fields.get(column);
    const choices = field?.type.choices?.(field.options, this.#locale) ?? [];
    const shown = values.map((value) =>
      labelled(choices.find((choice) => choice.value === value)?.label ?? value, value, this.#phrases.valued),
    );
    const visible = this.#reader.shows(model, column) ? shown : [this.#phrases.hiddenValue];
    return this.#phrases.equals(this.#field(model, column), visible);
  }

  #member(model: ResourceModel, record: string, { model: of, column, on, where }: RowMember): string {
    const { member, same, of: partOf } = this.#phrases;
    const memberships = modelOf(this.#reader, of);
    return member(this.#model(memberships), [
      same(this.#field(memberships, on), partOf(record, this.#field(model, column))),
      ...where.map((each) => this.#equals(memberships, each.column, each.said)),
    ]);
  }

  #bracketed(words: string): string {
    const [open, close] = this.#phrases.brackets;
    return `${open}${words}${close}`;
  }

  /** A part of a longer clause: a part with conditions of its own is put in brackets. */
  #part(expression: RowExpression, model: ResourceModel, record: string): string {
    const words = this.clause(expression, model, record);
    const isShort = expression.kind === 'own' || expression.kind === 'equals';
    return isShort || isSingle(expression) ? words : this.#bracketed(words);
  }

  /** The clause behind a `where` of a named record. */
  #inner(expression: RowExpression, model: ResourceModel, record: string): string {
    const words = this.clause(expression, model, record);
    return 'rules' in expression && !isSingle(expression) ? this.#bracketed(words) : words;
  }

  clause(expression: RowExpression, model: ResourceModel, record = this.#phrases.thisRecord): string {
    const { own, via, such, or, and } = this.#phrases;
    switch (expression.kind) {
      case 'own':
        return own(this.#field(model, expression.column));
      case 'equals':
        return this.#equals(model, expression.column, [expression.said]);
      case 'member':
        return this.#member(model, record, expression);
      case 'via': {
        const target = modelOf(this.#reader, expression.model);
        const name = this.#model(target);
        return via(
          this.#field(model, expression.column),
          name,
          this.#inner(expression.rule, target, such(name)),
        );
      }
      case 'anyOf':
      case 'allOf': {
        const [only, second] = expression.rules;
        if (only !== undefined && second === undefined) return this.clause(only, model, record);
        const parts = expression.rules.map((rule) => this.#part(rule, model, record));
        return parts.join(expression.kind === 'anyOf' ? or : and);
      }
    }
  }

  sentence(expression: RowExpression, model: ResourceModel): string {
    const { every, none, records, spaced } = this.#phrases;
    if ('rules' in expression && expression.rules.length === 0)
      return expression.kind === 'anyOf' ? none : every;
    return spaced(records(this.clause(expression, model)));
  }
}

/**
 * The records of a model that meet a rule, in words: `Records where the caller owns a record of …`. Names of fields
 * and models, and values, are in backticks, each with its label where the model file has one.
 */
export const rowSentence = (
  expression: RowExpression,
  model: ResourceModel,
  reader: RowReader,
  locale: Locale,
): string => new Narrator(reader, locale).sentence(expression, model);

/** The rules of a resource in words, by name. */
export type IsolationSentences = { readonly [Name in RowRuleName]?: string };

export const isolationSentences = (
  isolation: Isolation,
  model: ResourceModel,
  reader: RowReader,
  locale: Locale,
): IsolationSentences =>
  Object.fromEntries(
    namedRules(isolation).map(([name, { expression }]) => [
      name,
      rowSentence(expression, model, reader, locale),
    ]),
  );

/** A value in its JSON type, else the text of the model file. */
const jsonValue = (value: Json, said: string): Json => (String(value) === said ? value : said);

/**
 * A rule as declared, in JSON: `{ kind: 'member', field: 'team_id', of: 'Membership', on: 'team_id' }`. A field that
 * the reader may not know is left out, and so is the value that it is compared with.
 */
export const rowTree = (expression: RowExpression, model: ResourceModel, reader: RowReader): JsonObject => {
  const { kind } = expression;
  const named = (of: ResourceModel, key: string, column: string): JsonObject =>
    reader.shows(of, column) ? { [key]: column } : {};
  switch (expression.kind) {
    case 'own':
      return { kind, ...named(model, 'field', expression.column) };
    case 'equals': {
      const { column, value, said } = expression;
      return reader.shows(model, column) ? { kind, field: column, value: jsonValue(value, said) } : { kind };
    }
    case 'member': {
      const { column, on, where } = expression;
      const of = modelOf(reader, expression.model);
      const conditions = where.map((each) =>
        reader.shows(of, each.column)
          ? {
              field: each.column,
              values: each.values.map((value, at) => jsonValue(value, each.said[at] ?? '')),
            }
          : {},
      );
      return {
        kind,
        ...named(model, 'field', column),
        of: of.name,
        ...named(of, 'on', on),
        where: conditions,
      };
    }
    case 'via': {
      const to = modelOf(reader, expression.model);
      return {
        kind,
        ...named(model, 'field', expression.column),
        to: to.name,
        rule: rowTree(expression.rule, to, reader),
      };
    }
    case 'anyOf':
    case 'allOf':
      return { kind, rules: expression.rules.map((rule) => rowTree(rule, model, reader)) };
  }
};
