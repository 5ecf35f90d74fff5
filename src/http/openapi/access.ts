/** Describes who may call an endpoint: methods of authentication, permissions, scopes and fields. */

import { isOfKeys } from '../../auth/registry.ts';
import { type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
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
export const accessOf = (endpoint: Endpoint, reader: AccessReader): JsonObject => {
  const { auth, policy, ofTrash, method, csv } = endpoint;
  const access = { methods: [...auth], ...accessOfRule(policy, reader) };
  return withoutUndefined({
    ...access,
    manage: ofTrash === undefined ? access.manage : managedIn(ofTrash.policy, reader),
    scope: scopeShown(endpoint),
    also: method === 'PATCH' ? ['PUT'] : undefined,
    csv: csv === true ? true : undefined,
  });
};

/** The demands of a rule. A member is undefined where there is no such demand. */
interface RuleAccess {
  readonly [demand: string]: Json | undefined;
  readonly access: string;
  /** The deleted records that callers manage, in words. */
  readonly manage?: string | undefined;
}

/** The scope that an API key with scopes needs: null where none admits it, undefined where each of them does. */
const scopeShown = ({ auth, policy }: Endpoint): string | null | undefined => {
  if (!auth.some(isOfKeys)) return undefined;
  const scope = scopeOf(policy);
  return scope === eachModel ? undefined : (scope ?? null);
};

const accessOfRule = (rule: Rule, reader: AccessReader): RuleAccess => {
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
      return { access: 'administrator', own: rule.own === undefined ? undefined : true };
    case 'roles':
      return { access: 'roles', roles: [...rule.roles] };
    case 'resource':
      return accessOfResource(rule, reader);
  }
};

/** `true` for the contract's rule; conditions in words. */
const isolationOf = (rule: ResourceRule, { models, locale }: AccessReader): true | JsonObject | undefined => {
  if (rule.model.rules.isolation?.byOwner === true) return rule.action === 'create' ? undefined : true;
  const rows = rowsOfAction(rule, models, locale);
  return rows && withoutUndefined({ ...rows });
};

/** The deleted records that callers manage, in words. */
const managedIn = (rule: Rule, { models, locale }: AccessReader): string | undefined =>
  rule.kind === 'resource' ? managedRows(rule, models, locale) : undefined;

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
  readonly restricted_unless?: readonly FieldsInWords<'unless'>[] | undefined;
  readonly viewed_when?: readonly FieldsInWords<'when'>[] | undefined;
  /** The fields of users that everyone who reads a record sees, by relation. */
  readonly shows?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The rules of a model's fields for callers other than administrators; each is undefined where there is none. */
export const fieldRulesOf = (model: ResourceModel, reader: AccessReader): FieldRules => {
  const { restrictedUnless, viewedWhen } = model.rules;
  const shows = [...model.relations.values()].flatMap(({ name, shows: fields }) =>
    fields === undefined ? [] : [[name, fields] as const],
  );
  return {
    restricted_unless:
      restrictedUnless.length === 0 ? undefined : conditional(model, restrictedUnless, reader, 'unless'),
    viewed_when: viewedWhen.length === 0 ? undefined : conditional(model, viewedWhen, reader, 'when'),
    shows: shows.length === 0 ? undefined : Object.fromEntries(shows),
  };
};

const accessOfResource = (rule: ResourceRule, reader: AccessReader): RuleAccess => {
  const { model, action, area, managed } = rule;
  const { permissions, ownership, restricted, publicRead } = model.rules;
  const { restricted_unless: restrictedUnless, ...seen } = fieldRulesOf(model, reader);
  // Administrators see every field.
  const viewed = area === 'admin' || action === 'destroy' ? {} : seen;
  const reads = action === 'list' || action === 'detail';
  if (area === 'api' && reads && publicRead !== undefined) {
    const publicValues = publicRead.map(({ column, value }): [string, Json] => [column, value]);
    const rows = rowsOfAction(rule, reader.models, reader.locale);
    return {
      access: 'public',
      published: Object.fromEntries(publicValues),
      or_own: rows && true,
      isolation: rows && withoutUndefined({ ...rows }),
      ...viewed,
    };
  }
  const checked = permissions === 'all' || (permissions === 'writes' && !reads);
  const writesFields = action === 'create' || action === 'update';
  const demanded = {
    access: area === 'admin' ? 'administrator' : 'authenticated',
    model: model.name,
    permission: checked ? permissionAction(action) : undefined,
  };
  if (managed !== undefined) return { ...demanded, manage: managedIn(rule, reader), ...viewed };
  return {
    ...demanded,
    isolation: isolationOf(rule, reader),
    ownership: ownership && action === 'create' ? true : undefined,
    restricted: writesFields && restricted.size > 0 ? [...restricted] : undefined,
    restricted_unless: writesFields ? restrictedUnless : undefined,
    ...viewed,
  };
};
