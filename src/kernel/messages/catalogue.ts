/**
 * The names of all texts of the service and the shape of a catalogue, which the compiler holds every language
 * to.
 */

import type { ProblemName } from '../problem-table.ts';
import { fillTemplate } from '../spacing.ts';

/** Languages in which the service has all its texts. */
export const locales = ['zh-CN', 'en'] as const;
export type ServiceLocale = (typeof locales)[number];

/** BCP 47 tag of a language: of the service, or of a catalogue of the application. */
export type Locale = string;

/** True if a text is a language tag in its canonical form: `de`, `pt-BR`, `zh-Hant`. */
export const isLocale = (text: string): boolean => {
  // Without Intl, which few processes need and which takes 3 MB.
  if ((locales as readonly string[]).includes(text)) return true;
  try {
    return Intl.getCanonicalLocales(text)[0] === text;
  } catch {
    return false;
  }
};

/** Rules that a field can violate; `rule` of a FieldError. Placeholders: {label} and the rule's own bound. */
export type RuleName =
  | 'required'
  | 'type'
  | 'min_length'
  | 'max_length'
  | 'pattern'
  | 'minimum'
  | 'maximum'
  | 'integer_range'
  | 'number'
  | 'enum'
  | 'email'
  | 'email_domain'
  | 'url'
  | 'uuid'
  | 'date'
  | 'datetime'
  | 'decimal'
  | 'json'
  | 'upload'
  | 'file_type'
  | 'incomplete'
  | 'checksum'
  | 'unique'
  | 'reference'
  | 'held'
  | 'common_password'
  | 'own_name'
  | 'same_password'
  | 'wrong_password'
  | 'wrong_code'
  | 'wrong_passkey'
  | 'password_length'
  | 'role'
  | 'service_account'
  | 'only_service_accounts'
  | 'one_owner'
  | 'key_scope'
  | 'key_network'
  | 'key_limit'
  | 'webhook_url'
  | 'too_many'
  | 'fixed'
  | 'ignored'
  | 'view_query'
  | 'time_zone'
  | 'zone_or_offset';

/** Steps of an explained access decision, in their order. */
export type ExplainedRule =
  | 'route'
  | 'authentication'
  | 'password_change'
  | 'key_network'
  | 'rate_limit'
  | 'key_scope'
  | 'second_factor'
  | 'open'
  | 'user'
  | 'role'
  | 'administrator'
  | 'public_read'
  | 'permission'
  | 'isolation'
  | 'manage'
  | 'ownership'
  | 'restricted_fields'
  | 'viewed_fields'
  | 'related'
  | 'record'
  | 'record_write';

/** Reasons of the steps of explained decisions, about an access or a sign-in. */
export type ReasonName =
  | 'named'
  | 'caller'
  | 'anybody'
  | 'path_unknown'
  | 'method_unknown'
  | 'path_malformed'
  | 'user_disabled'
  | 'service_account'
  | 'key_revoked'
  | 'key_revoked_by'
  | 'key_expired'
  | 'wrong_caller'
  | 'no_application_key'
  | 'rate_left'
  | 'must_change_password'
  | 'factor_given'
  | 'factor_missing'
  | 'factor_due'
  | 'no_scope'
  | 'one_of_roles'
  | 'not_checked'
  | 'no_role'
  | 'permission'
  | 'every_record'
  | 'new_record'
  | 'owns_nothing'
  | 'not_set'
  | 'none'
  | 'fields_unless'
  | 'fields_when'
  | 'related_unreadable'
  | 'record_missing'
  | 'record_out_of_scope'
  | 'record_missing_or_out_of_scope'
  | 'record_of_other'
  | 'record_of_nobody'
  | 'provider_factor_off'
  | 'provider_factor'
  | 'account_linked'
  | 'account_not_linked'
  | 'account_unknown'
  | 'account_created'
  | 'role_unknown'
  | 'roles_not_mapped'
  | 'claim_not_mapped'
  | 'claim_grants';

/** A text of a success other than the general one. */
export type SuccessName = 'keyCreated' | 'keyRotated';

/** All texts of one language; the compiler reports a missing one. */
export interface Catalogue {
  readonly locale: Locale;
  /** Languages whose texts stand for missing texts of the application, in order. Default: English. */
  readonly fallbacks?: readonly Locale[];
  readonly success: string;
  readonly keyCreated: string;
  readonly keyRotated: string;
  readonly problems: Readonly<Record<ProblemName, string>>;
  readonly rules: Readonly<Record<RuleName, string>>;
  /** JSON types by their JSON Schema name, for {type} of the rule `type`. */
  readonly types: Readonly<
    Record<'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null', string>
  >;
  /** Labels of the steps of an explanation. */
  readonly explained: Readonly<Record<ExplainedRule, string>>;
  /** Texts of the reasons of such steps. */
  readonly reasons: Readonly<Record<ReasonName, string>>;
  /** Kinds of callers, for {caller} of a reason. */
  readonly callers: Readonly<Record<'user' | 'api_key' | 'application' | 'nobody', string>>;
  /** Actions of the permission table, for {action} of a reason. */
  readonly actions: Readonly<Record<'read' | 'create' | 'update' | 'destroy', string>>;
  /** Labels by field name: of the service's own tables, and of models' fields without a label of their own. */
  readonly labels: Readonly<Record<string, string>>;
  /** Labels of the service by their English text, for a language of the application. */
  readonly words?: ReadonlyMap<string, string>;
  /** Labels of inputs of the service's own endpoints only; a model may use such a name with another meaning. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** Fills `{name}` placeholders; one without a value stays visible. */
export const fill = (template: string, params: Readonly<Record<string, string | number>>): string =>
  fillTemplate(template, /\{(\w+)\}/g, (name) =>
    Object.hasOwn(params, name) ? String(params[name]) : undefined,
  );
