import { Problem } from '../kernel/problem.ts';
import type { AuthRequest, Claim, Identified, Verifier } from './method.ts';
import { type Nobody, nobody } from './principal.ts';

/** Every kind of credentials that the endpoint takes, each challenge once (RFC 9110, 11.6.1). */
export const challengesOf = (methods: readonly Verifier[]): string =>
  [...new Set(methods.map((method) => method.challenge))].join(', ');

/**
 * The refusal that is answered: a 403 (credentials sent by a foreign page) before a 401, else the first one; and where
 * the request carried no credentials at all, `unauthenticated`.
 */
const refusalOf = (methods: readonly Verifier[], refusals: readonly Problem[]): Problem => {
  const first = refusals.find((problem) => problem.status !== 401) ?? refusals[0];
  if (first !== undefined && first.status !== 401) return first;
  return new Problem(first?.kind ?? 'unauthenticated', {
    params: first?.params ?? {},
    headers: { ...first?.headers, 'WWW-Authenticate': challengesOf(methods) },
    cause: first?.cause,
  });
};

/**
 * Who sends this request? Tries every listed method; one success is enough, and an empty list asks nobody. A method
 * that cannot know (the database is away) does not stop the others, but where none succeeds its error is thrown, so
 * that an outage never reads as a refusal. A method listed under two names is asked once.
 */
export const guard = async <Caller extends Identified>(
  methods: readonly Verifier<Caller>[],
  request: AuthRequest,
): Promise<Caller | Nobody> => {
  if (methods.length === 0) return nobody;
  const refusals: Problem[] = [];
  const failures: unknown[] = [];
  let claim: Claim | undefined;
  for (const [index, method] of methods.entries()) {
    if (methods.indexOf(method) !== index) continue;
    try {
      const asked = method.authenticate(request);
      const outcome = asked instanceof Promise ? await asked : asked;
      if (outcome.kind === 'principal') return outcome.principal;
      if (outcome.kind === 'absent') continue;
      refusals.push(outcome.problem);
      claim ??= outcome.claim;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  if (claim !== undefined) request.refused?.(claim);
  throw refusalOf(methods, refusals);
};
