/** Headers that authenticate a request. */
export type CredentialHeaders = Readonly<Record<string, string>>;

type Token = string | undefined;

export const bearer = (token: Token): CredentialHeaders =>
  token === undefined ? {} : { Authorization: `Bearer ${token}` };

/**
 * Existing credentials, by their option of `auth`, and the headers that they become. A method of authentication with
 * a fixed secret is a line here; one that signs each request is a `fetch` of its own, as that of
 * `gatewright/client/sign`.
 */
export const credentials = {
  /** A token, or a function of another sign-in that returns it. */
  token: async (token: string | (() => Token | Promise<Token>)) =>
    bearer(typeof token === 'function' ? await token() : token),
  key: (key: string) => ({ 'X-Api-Key': key }),
} as const satisfies Readonly<
  Record<string, (given: never) => CredentialHeaders | Promise<CredentialHeaders>>
>;

type Options = typeof credentials;

/** One of them. */
export type Credentials = {
  readonly [Name in keyof Options]: { readonly [Option in Name]: Parameters<Options[Name]>[0] };
}[keyof Options];

/** The headers of the credentials; called for every request. */
export const headersOf = async (given: Credentials): Promise<CredentialHeaders> => {
  const [[name, secret] = []] = Object.entries(given);
  const way = Object.entries(credentials).find(([option]) => option === name)?.[1];
  if (way === undefined) throw new TypeError(`auth knows no ${name}`);
  // Each secret fits its method by the type of the options; the compiler does not follow it through entries.
  return (way as (given: unknown) => CredentialHeaders | Promise<CredentialHeaders>)(secret);
};

export const areSame = (one: CredentialHeaders, other: CredentialHeaders): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
