import type { Locale } from '../kernel/messages.ts';
import type { ResourceModel } from '../model/resource.ts';
import { eachModel } from '../policy/key-scope.ts';
import type { Rule } from '../policy/rule.ts';
import { usersShowing } from '../records/user-entity.ts';
import { type AreaRules, apiAuth } from './operations/area.ts';

/** The fields of a response, and those of them that some records hide. */
export interface AnsweredFields {
  readonly fields: readonly string[];
  readonly optional: ReadonlySet<string>;
}

/** A place that offers the operations of a resource: the API under its own rules, or the administration area. */
export interface Area extends AreaRules {
  /** Path of the list. */
  readonly path: (model: ResourceModel) => string;
  readonly operation: (verb: string, noun: string) => string;
  readonly tag: (model: ResourceModel, locale: Locale) => string;
  readonly accepts: 'json' | 'json-or-form';
  /** The policy of an endpoint that asks the policy of each action by itself. */
  readonly entrance: Rule;
}

/** The API, as the contract shapes it. Public reads authenticate no caller. */
export const apiArea: Area = {
  name: 'api',
  path: ({ path }) => `/api/v1/${path}`,
  auth: apiAuth,
  users: usersShowing,
  operation: (verb, noun) => `${verb}${noun}`,
  tag: ({ name }) => name,
  accepts: 'json',
  entrance: { kind: 'identified', scope: eachModel },
};
