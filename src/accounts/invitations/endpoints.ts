/**
 * Endpoints of invitations: an administrator makes or withdraws a link, and the invited user sets a password with it.
 */

import { shownAddress } from '../../auth/address.ts';
import { hashLinkToken, type LinkPlace, linkPaths, linkUrl, newLinkToken } from '../../auth/link-token.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { Passwords } from '../../auth/password.ts';
import { passwordRules, passwordViolation } from '../../auth/password-rules.ts';
import type { Identities } from '../../auth/ports.ts';
import type { MailQueue } from '../../delivery/mail.ts';
import { field } from '../../fields/define.ts';
import { adminAuth, administratorOnly, adminTag, asSessionPrincipal } from '../../http/administration.ts';
import { actorOf, idOf, ticketOf, userOf } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, passwordSchema, refined, refuseInvalid } from '../../http/input.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import type { Catalogue, Locale } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { publicUserEntity } from '../../records/user-entity.ts';
import type { SecurityEventStore } from '../security-events.ts';
import { isForeignPage } from '../sessions/sign-in.ts';
import type { FoundInvitation, InvitationStore } from './store.ts';

const { text, textOrNull, time } = valueSchemas;

const invitationSchema = objectSchema('Invitation', {
  url: { type: 'string', description: 'shown once; the token is after the #' },
  expires_at: time,
  sent_to: {
    type: ['string', 'null'],
    description: 'address to which a mail with the link is sent; null: the application sends no mail',
  },
});

const invitedUserSchema = objectSchema('InvitedUser', {
  username: text,
  email: textOrNull,
  name: text,
  expires_at: time,
});

const invitationPath = '/admin/invitation';

/** Attempts of one network are counted under one name. */
const counted = 'token';

const linkProblems = ['invitation_not_found', 'invitation_used', 'invitation_ended', 'cross_site'] as const;
const throttleProblems = ['too_many_requests', 'overloaded'] as const;

interface OpenInvitation extends FoundInvitation {
  readonly hash: string;
}

/** @throws Problem `invitation_used`, `invitation_ended` */
const demandOpen = ({ state }: FoundInvitation): void => {
  if (state !== 'open') throw new Problem(state === 'used' ? 'invitation_used' : 'invitation_ended');
};

export interface InvitationParts {
  readonly invitations: InvitationStore;
  readonly identities: Identities;
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  readonly securityEvents: SecurityEventStore;
  /** Messages to be sent, and the links of users; undefined where the application sends no mail. */
  readonly mail: MailQueue | undefined;
  readonly linkPlace: LinkPlace;
  readonly locale: Locale;
  readonly catalogue: Catalogue;
}

/** Tells whether a browser sends the request from the pages of the application that links open. */
const isOfApplication = (call: Pick<Call, 'header'>, { pages }: LinkPlace): boolean =>
  pages !== undefined && call.header('origin') === new URL(pages).origin;

/**
 * Looks a token up and uses it. An unknown one counts as a failure, and each call takes its place in the counters
 * before a password is hashed.
 */
const createLookUp =
  ({ invitations, throttle, securityEvents, linkPlace }: InvitationParts) =>
  async <Result>(
    call: Call,
    token: string,
    use: (found: OpenInvitation) => Promise<Result>,
  ): Promise<Result> => {
    const { address, signal } = call;
    if (isForeignPage(call, linkPlace.baseUrl) && !isOfApplication(call, linkPlace)) {
      const detail = { method: 'POST', path: call.path };
      securityEvents.record({ action: 'admin.refused', address, detail });
      throw new Problem('cross_site');
    }
    const look = async (): Promise<{ readonly result: Result } | undefined> => {
      const hash = hashLinkToken(token);
      const found = hash === undefined ? undefined : await invitations.find(hash);
      if (hash !== undefined && found !== undefined) {
        demandOpen(found);
        return { result: await use({ ...found, hash }) };
      }
      securityEvents.record({ action: 'sign_in.failed', address, detail: { invitation: true } });
      return undefined;
    };
    const found = await throttle.run(counted, address, look, signal, 'invitation');
    if (found === undefined) throw new Problem('invitation_not_found');
    return found.result;
  };

type LookUp = ReturnType<typeof createLookUp>;

const open = { method: 'POST', auth: [], policy: { kind: 'open' }, accepts: 'json' } as const;

const tokenField = { token: field.text({ required: true }) };

const inviteEndpoint = ({ invitations, mail, linkPlace }: InvitationParts): Endpoint => ({
  operation: 'adminInviteUser',
  method: 'POST',
  path: '/admin/users/:id/invitation',
  auth: adminAuth,
  policy: administratorOnly,
  accepts: 'nothing',
  status: 201,
  docs: {
    summary: { 'zh-CN': '生成邀请链接', en: 'Create an invitation link' },
    description: {
      'zh-CN':
        '用户凭链接自行设置密码；也可用作已有用户的密码重置链接。应用配置了 `mail` 时，链接同时发往用户的邮箱。链接只显示这一次，72 小时内可用一次，新链接使旧链接失效；创建者被删除、停用或不再有权为该用户生成时，链接失效。不能为自己生成，也不能为服务账号生成；管理员不能为 super_admin 生成。',
      en: 'The link lets a user set a password; for a user with a password it is a reset link. With `mail` configured it is also sent to the user. It is shown once, works once within 72 hours, and invalidates the previous one. It also becomes invalid when its creator is deleted, disabled or no longer permitted to create it. Users cannot create one for themselves or for a service account, nor an admin for a super_admin.',
    },
    tag: adminTag,
    data: invitationSchema,
    problems: ['record_not_found', 'user_disabled', 'service_account'],
  },
  handle: async (call) => {
    const id = idOf(call);
    // One's own password asks for the current one: a page left open must not be enough to take it over.
    if (id === userOf(call).id) throw new Problem('forbidden');
    const made = newLinkToken();
    const { expiresAt, sentTo } = await invitations.create(id, made, actorOf(call));
    mail?.wake();
    const url = linkUrl(linkPlace, linkPaths.invitation, made.token);
    return { data: { url, expires_at: expiresAt, sent_to: sentTo ?? null } };
  },
});

const lookUpEndpoint = ({ catalogue }: InvitationParts, lookUp: LookUp): Endpoint => {
  const tokenOnly = createInput(tokenField, catalogue);
  return {
    ...open,
    operation: 'lookAtInvitation',
    path: `${invitationPath}/lookup`,
    input: tokenOnly.schema,
    docs: {
      summary: { 'zh-CN': '查看邀请链接', en: 'Check an invitation link' },
      description: {
        'zh-CN': '令牌在请求体中，不出现在任何地址里。失败计入登录限制。',
        en: 'The body carries the token, so no URL contains it. Failures count as failed logins.',
      },
      tag: adminTag,
      data: invitedUserSchema,
      problems: [...linkProblems, ...throttleProblems],
    },
    handle: async (call) => {
      const { values, errors } = tokenOnly.read(call.body);
      refuseInvalid(errors);
      const found = await lookUp(call, String(values['token']), async (each) => each);
      const { username, email, name, expiresAt } = found;
      return { data: { username, email: shownAddress(email), name, expires_at: expiresAt } };
    },
  };
};

const useEndpoint = (services: InvitationParts, lookUp: LookUp): Endpoint => {
  const { invitations, identities, passwords, locale, catalogue } = services;
  const input = createInput({ ...tokenField, password: field.text({ required: true }) }, catalogue);

  const setPassword = async (call: Call, found: OpenInvitation, password: string): Promise<void> => {
    const violation = await passwordViolation(password, found);
    if (violation !== undefined) refuseInvalid([input.error('password', violation)]);
    const identity = await identities.byUserId(found.userId, []);
    if (identity === undefined) throw new Problem('invitation_ended');
    const passwordHash = await passwords.hash(password, ticketOf(call));
    const actor = { principal: asSessionPrincipal(identity), address: call.address };
    if (!(await invitations.use(found, found.hash, passwordHash, actor)))
      throw new Problem('invitation_ended');
  };

  return {
    ...open,
    operation: 'useInvitation',
    path: invitationPath,
    input: refined(input.schema, { password: passwordSchema(locale) }),
    docs: {
      summary: { 'zh-CN': '凭邀请链接设置密码', en: 'Set a password by an invitation link' },
      description: {
        'zh-CN': `${passwordRules['zh-CN']}链接随即失效，该用户的会话全部结束。`,
        en: `${passwordRules.en} The link then ends, and so do all sessions of the user.`,
      },
      tag: adminTag,
      data: publicUserEntity.schema,
      problems: [...linkProblems, ...throttleProblems],
    },
    handle: async (call) => {
      const { values, errors } = input.read(call.body);
      refuseInvalid(errors);
      const [token, password] = [String(values['token']), String(values['password'])];
      const userId = await lookUp(call, token, async (found) => {
        await setPassword(call, found, password);
        return found.userId;
      });
      const identity = await identities.byUserId(userId, []);
      if (identity === undefined) throw new Problem('invitation_ended');
      const { id, username, email, name, roles } = identity;
      return { data: { id, username, email, name, roles: [...roles].sort() } };
    },
  };
};

/** Links by which users set a password of their own: made by an administrator, used without a session. */
export const invitationEndpoints = (services: InvitationParts): Endpoint[] => {
  const lookUp = createLookUp(services);
  return [inviteEndpoint(services), lookUpEndpoint(services, lookUp), useEndpoint(services, lookUp)];
};
