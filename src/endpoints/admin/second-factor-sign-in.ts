import { canonicalAccount } from '../../auth/account.ts';
import { loginFailed } from '../../auth/login.ts';
import { jwt } from '../../auth/methods/jwt.ts';
import type { Identity } from '../../auth/ports.ts';
import { hashRecoveryCode } from '../../auth/recovery-codes.ts';
import { hashSignInTicket, newSignInTicket } from '../../auth/sign-in-ticket.ts';
import { stepOfCode } from '../../auth/totp.ts';
import { field } from '../../fields/define.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { Problem, type ProblemDetails } from '../../kernel/problem.ts';
import { isAdministrator } from '../../policy/rule.ts';
import type { Proof, SignInTicket } from '../../service/second-factors/sign-in-tickets.ts';
import { isForeignPage, type SignedIn } from '../auth/sign-in.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { adminTag, arriving } from './area.ts';
import { keptUserAgent, sessionCookieText, sessionUser, sessionUserText } from './session-user.ts';

/** Second factor that a user gives beside the password. */
type FactorAnswer =
  | { readonly by: 'totp'; readonly code: string }
  | { readonly by: 'recovery_code'; readonly code: string }
  | { readonly by: 'passkey'; readonly response: JsonObject };

const refused = (
  name: 'second_factor_required' | 'second_factor_wrong' | 'second_factor_expired',
  details: ProblemDetails = {},
): Problem => new Problem(name, { ...details, headers: { 'WWW-Authenticate': jwt.challenge } });

/**
 * Problem in the place of a session where the user has a second factor. Only a caller with the right password learns
 * that.
 */
export const askSecondFactor = async (
  { secondFactors, signInTickets, passkeys }: Services,
  { verified, user }: SignedIn,
): Promise<Problem> => {
  const has = await secondFactors.of(user.id);
  const asked = has.passkeys.length > 0 && passkeys.problem === undefined;
  const options = asked ? await passkeys.requestOptions(has.passkeys) : undefined;
  const { ticket, hash } = newSignInTicket();
  const challenge = options?.challenge ?? null;
  const expires = await signInTickets.create({ hash, user: verified, challenge });
  const methods = [
    ...(has.totp === undefined ? [] : ['totp']),
    ...(asked ? ['passkey'] : []),
    ...(has.recoveryCodes === 0 ? [] : ['recovery_code']),
  ];
  const more = options === undefined ? {} : { passkey_options: { ...options } as unknown as JsonObject };
  return refused('second_factor_required', { data: { ticket, methods, expires_at: expires, ...more } });
};

/** Returns the proof of a given factor; undefined when it is wrong. That it was used before is found when it is used up. */
const prove = async (
  { signInTickets, totpSecrets, passkeys, clock }: Services,
  { user, challenge }: SignInTicket,
  answer: FactorAnswer,
): Promise<Proof | undefined> => {
  switch (answer.by) {
    case 'totp': {
      const totp = await signInTickets.totpOf(user.id);
      if (totp === undefined) return undefined;
      const secret = totpSecrets.open(totp.secret);
      if (secret === undefined)
        throw new Error(
          `the authenticator secret of user ${user.id} is sealed under an unknown server secret`,
        );
      const step = stepOfCode(secret, answer.code, clock());
      return step === undefined ? undefined : { by: 'totp', step };
    }
    case 'recovery_code': {
      const hash = hashRecoveryCode(answer.code);
      return hash === undefined ? undefined : { by: 'recovery_code', hash };
    }
    case 'passkey': {
      const id = answer.response['id'];
      if (challenge === null || typeof id !== 'string') return undefined;
      const passkey = await signInTickets.passkeyOf(user.id, id);
      if (passkey === undefined) return undefined;
      const counter = await passkeys.verifySignIn(answer.response, challenge, { ...passkey, credential: id });
      return counter === undefined ? undefined : { by: 'passkey', id: passkey.id, counter };
    }
  }
};

/** The second step of a sign-in: with a ticket of the first one, and one of three factors. */
export const secondFactorSignIn = (services: Services): Endpoint => {
  const { cookies, signInTickets, identities, throttle, securityEvents, baseUrl, locale } = services;
  const path = '/admin/session/second-factor';
  const input = createInput(
    {
      ticket: field.text({ required: true }),
      code: field.text(),
      recovery_code: field.text(),
      passkey: field.json(),
    },
    locale,
  );

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

  const failed = (call: Call, detail: JsonObject, user?: Identity): void => {
    const account = user === undefined ? undefined : { id: user.id, username: user.username };
    securityEvents.record({ action: 'sign_in.failed', address: call.address, account, detail });
  };

  /** Looks at an answer and begins the session, all in one. Undefined where the answer is wrong. */
  const begin = async (call: Call, ticket: SignInTicket, answer: FactorAnswer, user: Identity) => {
    if (!(await signInTickets.tryOne(ticket.hash))) throw refused('second_factor_expired');
    const proof = await prove(services, ticket, answer);
    if (proof === undefined) return undefined;
    const { id, hash } = cookies.create();
    const session = { hash, address: call.address, userAgent: keptUserAgent(call.header('user-agent')) };
    const actor = { principal: arriving(user), address: call.address };
    const opened = await signInTickets.open(ticket, proof, session, actor);
    if (opened === 'over') throw refused('second_factor_expired');
    return opened === 'opened' ? id : undefined;
  };

  const counted = (call: Call, ticket: SignInTicket, answer: FactorAnswer, user: Identity) => {
    const { address, signal } = call;
    const attempt = () =>
      throttle.run(canonicalAccount(user.username), address, () => begin(call, ticket, answer, user), signal);
    // Six digits can be guessed from many addresses, the others cannot.
    return answer.by === 'totp' ? throttle.runCode(String(user.id), attempt, signal) : attempt();
  };

  const ticketOf = async (call: Call, text: string): Promise<SignInTicket> => {
    const hash = hashSignInTicket(text);
    const found = hash === undefined ? undefined : await signInTickets.find(hash);
    if (found !== undefined) return found;
    failed(call, { ticket: false });
    throw refused('second_factor_expired');
  };

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
        en: `With the \`ticket\` that \`POST /admin/session\` answered (good for 5 minutes, void after 5 wrong answers) and one of \`code\`, \`recovery_code\` and \`passkey\` (AuthenticationResponseJSON). What is wrong counts as a failed login. ${sessionUserText.en}`,
      },
      tag: adminTag,
      data: schemas.sessionUser,
      headers: { 'Set-Cookie': sessionCookieText },
      problems: [
        ...(['login_failed', 'second_factor_wrong', 'second_factor_expired'] as const),
        ...(['forbidden', 'cross_site', 'too_many_requests', 'overloaded'] as const),
      ],
    },
    handle: async (call) => {
      const { address } = call;
      if (isForeignPage(call, baseUrl)) {
        securityEvents.record({ action: 'admin.refused', address, detail: { method: 'POST', path } });
        throw new Problem('cross_site');
      }
      const { ticket: text, answer } = read(call.body);
      const ticket = await ticketOf(call, text);
      const user = await identities.byUserId(ticket.user.id, []);
      if (user === undefined) throw loginFailed();
      if (!isAdministrator(user)) throw new Problem('forbidden');
      const id = await counted(call, ticket, answer, user);
      if (id === undefined) {
        failed(call, { second_factor: answer.by }, user);
        throw refused('second_factor_wrong');
      }
      const by = { id: user.id, username: user.username };
      securityEvents.log({ action: 'sign_in', address, by, detail: { second_factor: answer.by } });
      return {
        data: sessionUser({ ...user, secondFactor: 'given' }),
        headers: { 'Set-Cookie': cookies.set(id) },
      };
    },
  };
};
