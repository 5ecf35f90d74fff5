import { Problem } from '../kernel/problem.ts';
import { type AuthMethod, type AuthOutcome, type AuthRequest, nobody, type Principal } from './method.ts';

/** Every kind of credentials that the endpoint takes, each challenge once (RFC 9110, 11.6.1). */
export const challengesOf = (methods: readonly AuthMethod[]): string =>
  [...new Set(methods.map((method) => method.challenge))].join(', ');

/**
 * The refusal that is answered: a 403 (credentials sent by a foreign page) before a 401, else the first one; and where
 * the request carried no credentials at all, `unauthenticated`.
 */
const refusalOf = (methods: readonly AuthMethod[], refusals: readonly Problem[]): Problem => {
  const first = refusals.find((problem) => problem.status !== 401) ?? refusals[0];
  if (first !== undefined && first.status !== 401) return first;
  return new Problem(first?.problem ?? 'unauthenticated', {
    params: first?.params ?? {},
    headers: { ...first?.headers, 'WWW-Authenticate': challengesOf(methods) },
    cause: first?.cause,
  });
};

type Attempt = AuthOutcome | { readonly kind: 'failed'; readonly error: unknown };

const attempt = async (method: AuthMethod, request: AuthRequest): Promise<Attempt> => {
  try {
    return await method.authenticate(request);
  } catch (error) {
    return { kind: 'failed', error };
  }
};

/**
 * Who sends this request? Tries every listed method; one success is enough, and an empty list asks nobody. A method
 * that cannot know (the database is away) does not stop the others, but where none succeeds its error is thrown, so
 * that an outage never reads as a refusal. A method listed under two names is asked once.
 */
export const guard = async (methods: readonly AuthMethod[], request: AuthRequest): Promise<Principal> => {
  if (methods.length === 0) return nobody;
  const refusals: Problem[] = [];
  const failures: unknown[] = [];
  for (const method of new Set(methods)) {
    const outcome = await attempt(method, request);
    if (outcome.kind === 'principal') return outcome.principal;
    if (outcome.kind === 'rejected') refusals.push(outcome.problem);
    if (outcome.kind === 'failed') failures.push(outcome.error);
  }
  if (failures.length > 0) throw failures[0];
  throw refusalOf(methods, refusals);
};
