/** The second step of a sign-in by password: the problem that asks for it, and the endpoint that takes the factor. */

import { loginFailed } from '../../auth/login.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { Passkeys } from '../../auth/passkeys.ts';
import type { Identities, Identity } from '../../auth/ports.ts';
import type { SessionCookies } from '../../auth/session.ts';
import { hashSignInTicket, newSignInTicket } from '../../auth/sign-in-ticket.ts';
import { field } from '../../fields/define.ts';
import { adminTag, asSessionPrincipal } from '../../http/administration.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { isAdministrator } from '../../policy/rule.ts';
import type { SecurityEventStore } from '../security-events.ts';
import { sessionUserSchema } from '../sessions/session-schemas.ts';
import {
  sessionCookieText,
  sessionUser,
  sessionUserText,
  truncateUserAgent,
} from '../sessions/session-user.ts';
import { forgetFailures, isForeignPage, type SignedIn } from '../sessions/sign-in.ts';
import type { Proof } from './proof.ts';
import type { SignInTicket, SignInTickets } from './sign-in-tickets.ts';
import type { SecondFactorStore } from './store.ts';
import {
  factorProblem,
  proveTyped,
  recordFailedFactor,
  runCountedFactor,
  type TypedFactor,
  type TypedFactorParts,
} from './token-endpoints.ts';

/** Second factor that a user gives beside the password. */
type FactorAnswer = TypedFactor | { readonly by: 'passkey'; readonly response: JsonObject };

export interface SecondFactorAskParts {
  readonly secondFactors: SecondFactorStore;
  readonly signInTickets: SignInTickets;
  readonly passkeys: Passkeys;
}

/**
 * Returns the problem that asks for the second factor of a user. Only a caller with the right password learns that the
 * user has one.
 */
export const askSecondFactor = async (
  { secondFactors, signInTickets, passkeys }: SecondFactorAskParts,
  { verified, user }: Pick<SignedIn, 'verified' | 'user'>,
): Promise<Problem> => {
  const factors = await secondFactors.of(user.id);
  const offersPasskey = factors.passkeys.length > 0 && passkeys.problem === undefined;
  const options = offersPasskey ? await passkeys.requestOptions(factors.passkeys) : undefined;
  const { ticket, hash } = newSignInTicket();
  const challenge = options?.challenge ?? null;
  const expires = await signInTickets.create({ hash, user: verified, challenge });
  const methods: string[] = [];
  if (factors.totp !== undefined) methods.push('totp');
  if (offersPasskey) methods.push('passkey');
  if (factors.recoveryCodes > 0) methods.push('recovery_code');
  const more = options === undefined ? {} : { passkey_options: { ...options } as unknown as JsonObject };
  return factorProblem('second_factor_required', { data: { ticket, methods, expires_at: expires, ...more } });
};

export interface SecondFactorSignInParts extends TypedFactorParts {
  readonly passkeys: Passkeys;
  readonly cookies: SessionCookies;
  readonly identities: Identities;
  readonly throttle: LoginThrottle;
  readonly securityEvents: SecurityEventStore;
  readonly baseUrl: string;
  readonly catalogue: Catalogue;
}

/**
 * Returns the proof of a given factor; undefined when it is wrong. An earlier use is found when the proof is used up.
 */
const prove = async (
  services: SecondFactorSignInParts,
  { user, challenge }: SignInTicket,
  answer: FactorAnswer,
): Promise<Proof | undefined> => {
  const { signInTickets, passkeys } = services;
  if (answer.by !== 'passkey') return proveTyped(services, user.id, answer);
  const id = answer.response['id'];
  if (challenge === null || typeof id !== 'string') return undefined;
  const passkey = await signInTickets.passkeyOf(user.id, id);
  if (passkey === undefined) return undefined;
  const counter = await passkeys.verifySignIn(answer.response, challenge, { ...passkey, credential: id });
  return counter === undefined ? undefined : { by: 'passkey', id: passkey.id, counter };
};

const path = '/admin/session/second-factor';

/** The body of the second step: the ticket of the first one, and one of three factors. */
const createFactorInput = (catalogue: Catalogue) => {
  const input = createInput(
    {
      ticket: field.text({ required: true }),
      code: field.text(),
      recovery_code: field.text(),
      passkey: field.json(),
    },
    catalogue,
  );

  /** @throws Problem `invalid_record` */
  const read = (body: JsonObject): { readonly ticket: string; readonly answer: FactorAnswer } => {
    const { values, errors } = input.read(body);
    refuseInvalid(errors);
    const { ticket, code, recovery_code: recovery, passkey } = values;
    const answers: FactorAnswer[] = [];
    if (typeof code === 'string') answers.push({ by: 'totp', code });
    if (typeof recovery === 'string') answers.push({ by: 'recovery_code', code: recovery });
    if (isJsonObject(passkey)) answers.push({ by: 'passkey', response: passkey });
    const [answer, ...more] = answers;
    if (answer === undefined || more.length > 0)
      throw new Problem('invalid_record', { errors: [input.error('code', { rule: 'required' })] });
    return { ticket: String(ticket), answer };
  };

  // The code is one of three proofs, none of which is required alone.
  return { schema: { ...input.schema, examples: [{ ticket: 'ticket', code: '123456' }] }, read };
};

/** Returns the ticket that a text stands for. @throws Problem `second_factor_expired` */
const findTicket = async (
  { signInTickets, securityEvents }: SecondFactorSignInParts,
  call: Call,
  text: string,
): Promise<SignInTicket> => {
  const hash = hashSignInTicket(text);
  const found = hash === undefined ? undefined : await signInTickets.find(hash);
  if (found !== undefined) return found;
  securityEvents.record({ action: 'sign_in.failed', address: call.address, detail: { ticket: false } });
  throw factorProblem('second_factor_expired');
};

/**
 * Verifies a factor and begins the session in one attempt. Returns the id of the session; undefined if the factor is
 * wrong. @throws Problem `second_factor_expired`
 */
const beginSession = async (
  services: SecondFactorSignInParts,
  call: Call,
  ticket: SignInTicket,
  answer: FactorAnswer,
  user: Identity,
): Promise<string | undefined> => {
  const { signInTickets, cookies } = services;
  if (!(await signInTickets.tryOne(ticket.hash))) throw factorProblem('second_factor_expired');
  const proof = await prove(services, ticket, answer);
  if (proof === undefined) return undefined;
  const { id, hash } = cookies.create();
  const session = { hash, address: call.address, userAgent: truncateUserAgent(call.header('user-agent')) };
  const actor = { principal: asSessionPrincipal(user), address: call.address };
  const opened = await signInTickets.open(ticket, proof, session, actor);
  if (opened === 'over') throw factorProblem('second_factor_expired');
  return opened === 'opened' ? id : undefined;
};

/** The second step of a sign-in: with a ticket of the first one, and one of three factors. */
export const secondFactorSignIn = (services: SecondFactorSignInParts): Endpoint => {
  const { cookies, identities, securityEvents, baseUrl, catalogue } = services;
  const input = createFactorInput(catalogue);
  return {
    operation: 'giveSecondFactor',
    method: 'POST',
    path,
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: input.schema,
    docs: {
      summary: { 'zh-CN': '完成两步验证', en: 'Sign in with the second factor' },
      description: {
        'zh-CN': `凭 \`POST /admin/session\` 返回的 \`ticket\`（5 分钟内有效，5 次错误后失效），与 \`code\`、\`recovery_code\`、\`passkey\`（AuthenticationResponseJSON）三者之一登录。错误计入登录限制。${sessionUserText['zh-CN']}`,
        en: `With the \`ticket\` that \`POST /admin/session\` returned (valid for 5 minutes, invalid after 5 wrong answers) and one of \`code\`, \`recovery_code\` and \`passkey\` (AuthenticationResponseJSON). A wrong answer counts as a failed login. ${sessionUserText.en}`,
      },
      tag: adminTag,
      data: sessionUserSchema,
      headers: { 'Set-Cookie': sessionCookieText },
      problems: [
        'login_failed',
        'second_factor_wrong',
        'second_factor_expired',
        'forbidden',
        'cross_site',
        'too_many_requests',
        'overloaded',
      ],
    },
    handle: async (call) => {
      const { address } = call;
      if (isForeignPage(call, baseUrl)) {
        securityEvents.record({ action: 'admin.refused', address, detail: { method: 'POST', path } });
        throw new Problem('cross_site');
      }
      const { ticket: text, answer } = input.read(call.body);
      const ticket = await findTicket(services, call, text);
      const user = await identities.byUserId(ticket.user.id, []);
      if (user === undefined) throw loginFailed();
      if (!isAdministrator(user)) throw new Problem('forbidden');
      const attempt = () => beginSession(services, call, ticket, answer, user);
      const id = await runCountedFactor(services, call, user, answer.by, attempt);
      if (id === undefined) {
        recordFailedFactor(services, call, user, answer.by);
        throw factorProblem('second_factor_wrong');
      }
      const by = { id: user.id, username: user.username };
      await forgetFailures(services, user, call);
      securityEvents.log({ action: 'sign_in', address, by, detail: { second_factor: answer.by } });
      return {
        data: sessionUser({ ...user, secondFactor: 'given' }),
        headers: { 'Set-Cookie': cookies.set(id) },
      };
    },
  };
};
