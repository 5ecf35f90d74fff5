/** Describes who may call an endpoint: methods of authentication, permissions, scopes and fields. */

import { isOfKeys } from '../../auth/registry.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Locale } from '../../kernel/messages.ts';
import type { Models } from '../../model/models.ts';
import type { ConditionalFields, ResourceModel } from '../../model/resource.ts';
import { everyName, rowSentence } from '../../model/row-sentences.ts';
import { permissionAction } from '../../policy/decide.ts';
import { eachModel, scopeOf } from '../../policy/key-scope.ts';
import type { ResourceRule, Rule } from '../../policy/rule.ts';
import type { Endpoint } from '../endpoint.ts';
import { managedRows, rowsOfAction } from './rows.ts';

/** The models that names refer to, and the language of the result. */
export interface AccessReader {
  readonly models: Models;
  readonly locale: Locale;
}

/**
 * Describes who may call an endpoint, for readers of the description: its authentication methods and its policy. It
 * contains the demands, never to whom they were granted.
 */
export const accessOf = (
  { auth, policy, ofTrash, method, csv }: Endpoint,
  reader: AccessReader,
): JsonObject => ({
  methods: [...auth],
  ...accessOfRule(policy, reader),
  ...(ofTrash === undefined ? {} : manageOf(ofTrash.policy, reader)),
  ...(auth.some(isOfKeys) ? scopeShown(policy) : {}),
  ...(method === 'PATCH' ? { also: ['PUT'] } : {}),
  ...(csv === true ? { csv: true } : {}),
});

/** The scope that an API key with scopes needs: null where none admits it, absent where each of them does. */
const scopeShown = (policy: Rule): JsonObject => {
  const scope = scopeOf(policy);
  return scope === eachModel ? {} : { scope: scope ?? null };
};

const accessOfRule = (rule: Rule, reader: AccessReader): JsonObject => {
  switch (rule.kind) {
    case 'open':
      return { access: 'public' };
    case 'identified':
      return { access: 'authenticated' };
    case 'user':
      return { access: rule.own === undefined ? 'user' : 'own' };
    case 'isolated':
      return { access: 'user', isolation: true };
    case 'administrator':
      return { access: 'administrator', ...(rule.own === undefined ? {} : { own: true }) };
    case 'roles':
      return { access: 'roles', roles: [...rule.roles] };
    case 'resource':
      return accessOfResource(rule, reader);
  }
};

/** `true` for the contract's rule; conditions in words. */
const isolationOf = (rule: ResourceRule, { models, locale }: AccessReader): JsonObject => {
  if (rule.model.rules.isolation?.byOwner === true)
    return rule.action === 'create' ? {} : { isolation: true };
  const rows = rowsOfAction(rule, models, locale);
  return rows === undefined ? {} : { isolation: { ...rows } };
};

/** The deleted records that callers manage, in words. */
const manageOf = (rule: Rule, { models, locale }: AccessReader): JsonObject => {
  const manage = rule.kind === 'resource' ? managedRows(rule, models, locale) : undefined;
  return manage === undefined ? {} : { manage };
};

type FieldsInWords<Word extends string> = { readonly fields: readonly string[] } & {
  readonly [Each in Word]: string;
};

/** Fields with their condition in words, under the word of its option. */
const conditional = <Word extends 'unless' | 'when'>(
  model: ResourceModel,
  sets: readonly ConditionalFields[],
  { models, locale }: AccessReader,
  word: Word,
): FieldsInWords<Word>[] =>
  sets.map(({ fields, condition }) => {
    const sentence = rowSentence(condition.expression, model, everyName(models), locale);
    return { fields, [word]: sentence } as FieldsInWords<Word>;
  });

export interface FieldRules {
  readonly restricted_unless?: readonly FieldsInWords<'unless'>[];
  readonly viewed_when?: readonly FieldsInWords<'when'>[];
  /** The fields of users that everyone who reads a record sees, by relation. */
  readonly shows?: Readonly<Record<string, readonly string[]>>;
}

/** The rules of a model's fields for callers other than administrators; each is absent where there is none. */
export const fieldRulesOf = (model: ResourceModel, reader: AccessReader): FieldRules => {
  const { restrictedUnless, viewedWhen } = model.rules;
  const shows = [...model.relations.values()].flatMap(({ name, shows: fields }) =>
    fields === undefined ? [] : [[name, fields] as const],
  );
  return {
    ...(restrictedUnless.length === 0
      ? {}
      : { restricted_unless: conditional(model, restrictedUnless, reader, 'unless') }),
    ...(viewedWhen.length === 0 ? {} : { viewed_when: conditional(model, viewedWhen, reader, 'when') }),
    ...(shows.length === 0 ? {} : { shows: Object.fromEntries(shows) }),
  };
};

const accessOfResource = (rule: ResourceRule, reader: AccessReader): JsonObject => {
  const { model, action, area, managed } = rule;
  const { permissions, ownership, restricted, publicRead } = model.rules;
  const { restricted_unless: restrictedUnless, ...seen } = fieldRulesOf(model, reader);
  // Administrators see every field.
  const viewed: JsonObject = area === 'admin' || action === 'destroy' ? {} : { ...seen };
  const reads = action === 'list' || action === 'detail';
  if (area === 'api' && reads && publicRead !== undefined) {
    const publicValues = publicRead.map(({ column, value }): [string, Json] => [column, value]);
    const rows = rowsOfAction(rule, reader.models, reader.locale);
    return {
      access: 'public',
      published: Object.fromEntries(publicValues),
      ...(rows === undefined ? {} : { or_own: true, isolation: { ...rows } }),
      ...viewed,
    };
  }
  const checked = permissions === 'all' || (permissions === 'writes' && !reads);
  const writesFields = action === 'create' || action === 'update';
  const demanded = {
    access: area === 'admin' ? 'administrator' : 'authenticated',
    model: model.name,
    ...(checked ? { permission: permissionAction(action) } : {}),
  };
  if (managed !== undefined) return { ...demanded, ...manageOf(rule, reader), ...viewed };
  return {
    ...demanded,
    ...isolationOf(rule, reader),
    ...(ownership && action === 'create' ? { ownership: true } : {}),
    ...(writesFields && restricted.size > 0 ? { restricted: [...restricted] } : {}),
    ...(writesFields && restrictedUnless !== undefined ? { restricted_unless: restrictedUnless } : {}),
    ...viewed,
  };
};
