/** `oidc(…)`: options of a provider in the configuration, and their checks. */

import type { Label } from '../../kernel/messages.ts';
import { missingPackages } from '../../kernel/optional-packages.ts';
import {
  filledListOf,
  label as labelOption,
  listOf,
  mapOf,
  type OptionCheck,
  type OptionTable,
  objectOf,
  oneOf,
  optionsFlaw,
  texts,
  textual,
} from '../../kernel/options.ts';
import { DefinitionError } from '../../model/definition-error.ts';

/** Roles that follow from a claim of the provider. */
export interface RoleMapping {
  /** Name of the claim; dots lead into objects (`realm_access.roles`). */
  readonly claim: string;
  /** Roles by value of the claim. A user who loses the value loses these roles at the next sign-in. */
  readonly map: Readonly<Record<string, readonly string[]>>;
  /** Roles of a user for whom no value is mapped, at least one. Default: `viewer`. */
  readonly default?: readonly string[];
}

export interface OidcOptions {
  /** URL of the provider, as its discovery document names it. */
  readonly issuer: string;
  /** Client id that the provider has assigned. */
  readonly client: string;
  /** Text of the button. Default: the name of the provider. */
  readonly label?: Label;
  /** Default: `openid`, `profile` and `email`. */
  readonly scopes?: readonly string[];
  readonly roles?: RoleMapping;
  /** `false`: users sign in with linked accounts only. Default: the first sign-in makes a user. */
  readonly create?: false;
  /**
   * `false`: users with an account of this provider cannot set a first password by themselves. Default: they can, after
   * a sign-in or by a reset link.
   */
  readonly password?: false;
  /** Values by which the provider states that a second factor was given. Default: the service asks for its own. */
  readonly secondFactor?: { readonly claim: 'amr' | 'acr'; readonly values: readonly string[] };
}

/** A provider of identities, made by `oidc(…)`. */
export type OidcProvider = Readonly<OidcOptions>;

const issuerUrl: OptionCheck = (value, path) => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isLocal = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  return url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))
    ? undefined
    : `${path} must be an https URL (http on this machine only)`;
};

const mappingOptions = {
  claim: textual,
  map: mapOf(texts),
  default: filledListOf(textual),
} satisfies OptionTable<RoleMapping>;

const factorOptions = { claim: oneOf('amr', 'acr'), values: listOf(textual) } satisfies OptionTable<
  NonNullable<OidcOptions['secondFactor']>
>;

const options = {
  issuer: issuerUrl,
  client: textual,
  label: labelOption,
  scopes: texts,
  roles: objectOf(mappingOptions),
  create: oneOf(false),
  password: oneOf(false),
  secondFactor: objectOf(factorOptions),
} satisfies OptionTable<OidcOptions>;

const made = new WeakSet<object>();

/**
 * Defines an OpenID Connect provider, for `providers` in the configuration.
 * @throws DefinitionError for an unknown option or a value of the wrong type
 */
export const oidc = (given: OidcOptions): OidcProvider => {
  const missing = (['issuer', 'client'] as const).find((name) => given[name] === undefined);
  const flaw = optionsFlaw(given, options) ?? (missing === undefined ? undefined : `it has no ${missing}`);
  if (flaw !== undefined) throw new DefinitionError('provider', flaw);
  const provider = Object.freeze({ ...given });
  made.add(provider);
  return provider;
};

const provider: OptionCheck = (value, path) =>
  typeof value === 'object' && value !== null && made.has(value)
    ? undefined
    : `${path} must be made by oidc({ … })`;

/** The flaw of providers whose packages are not installed. */
const missingFor = (providers: object, path: string): string | undefined => {
  const needed = Object.keys(providers).length === 0 ? [] : (['openid-client', 'jose'] as const);
  const missing = missingPackages(needed);
  return missing === undefined ? undefined : `${path} needs ${missing}`;
};

/** Check of the option `providers`. */
export const providersOption: OptionCheck = (value, path) =>
  mapOf(provider)(value, path) ??
  Object.keys(value as object)
    .filter((name) => !/^[a-z][a-z0-9_-]{0,30}$/.test(name))
    .map((name) => `${path}.${name}: a name has lower-case letters, digits, _ and -`)[0] ??
  missingFor(value as object, path);
