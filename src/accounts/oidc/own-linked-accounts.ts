/** Endpoints of one's own accounts at providers: list, link and unlink, in the API and in the administration area. */

import { type AuthenticateAccount, loginFailed } from '../../auth/login.ts';
import { field } from '../../fields/define.ts';
import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import { actorOf, idOf, userOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { createInput, type Input, refuseInvalid } from '../../http/input.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { verifyOwnPassword } from '../users/own-password.ts';
import type { CodeSignInParts } from './code.ts';
import { linkedAccountsSchema } from './linked-account-endpoints.ts';
import type { ProviderSignIns } from './provider-sign-ins.ts';

/** An area in which users manage their linked accounts, and its problem for a wrong password. */
interface IdentityArea extends Pick<Endpoint, 'auth' | 'policy'> {
  readonly names: Readonly<Record<'list' | 'link' | 'unlink', string>>;
  readonly paths: Readonly<Record<'list' | 'link', string>>;
  readonly tag: string;
  readonly wrong: () => Problem;
}

export interface OwnLinkedAccountParts extends CodeSignInParts {
  readonly login: AuthenticateAccount;
  readonly catalogue: Catalogue;
}

const linkFields = { password: field.text({ required: true }), return: field.text() };

const listEndpoint = (
  { linkedAccounts }: OwnLinkedAccountParts,
  { names, paths, auth, policy, tag }: IdentityArea,
): Endpoint => ({
  operation: names.list,
  method: 'GET',
  path: paths.list,
  auth,
  policy,
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '已关联的账号', en: 'List linked accounts' },
    tag,
    data: linkedAccountsSchema,
  },
  handle: async (call) => ({
    data: (await linkedAccounts.listOf(userOf(call).id)).map((each) => ({ ...each })),
  }),
});

const linkEndpoint = (
  services: OwnLinkedAccountParts,
  signIns: ProviderSignIns,
  linkInput: Input,
  { names, paths, auth, policy, tag, wrong }: IdentityArea,
): Endpoint => ({
  operation: names.link,
  method: 'POST',
  path: paths.link,
  auth,
  policy,
  accepts: 'json',
  input: linkInput.schema,
  docs: {
    summary: { 'zh-CN': '关联身份提供方的账号', en: 'Link an account of a provider' },
    description: {
      'zh-CN': '返回浏览器要打开的地址。`password` 为当前密码，错误计入登录限制。',
      en: 'Returns the address that the browser opens. `password` is the current password: a wrong one counts as a failed login.',
    },
    tag,
    data: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    headers: { 'Set-Cookie': { 'zh-CN': '将关联绑定到此浏览器', en: 'Binds the link to this browser' } },
    problems: ['login_failed', 'provider_unavailable', 'too_many_requests', 'overloaded'],
  },
  handle: async (call) => {
    const part = signIns.providerOf(call);
    const { values, errors } = linkInput.read(call.body);
    refuseInvalid(errors);
    const returnPath = signIns.readReturnPath(typeof values['return'] === 'string' ? values['return'] : null);
    const user = userOf(call);
    const verified = await verifyOwnPassword(services, call, user, String(values['password']));
    if (verified === undefined) throw wrong();
    const { url, cookie } = await signIns.begin(part, returnPath, verified);
    return { data: { url }, headers: { 'Set-Cookie': cookie } };
  },
});

const unlinkEndpoint = (
  { linkedAccounts }: OwnLinkedAccountParts,
  { names, paths, auth, policy, tag }: IdentityArea,
): Endpoint => ({
  operation: names.unlink,
  method: 'DELETE',
  path: `${paths.list}/:id`,
  auth,
  policy,
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '解除关联', en: 'Unlink an account' },
    tag,
    problems: ['record_not_found', 'identity_last'],
  },
  handle: async (call) => {
    await linkedAccounts.remove(userOf(call).id, idOf(call), actorOf(call));
    return {};
  },
});

/** A wrong password is 401 for a token, and an error of its field for a session. */
export const ownLinkedAccountEndpoints = (
  services: OwnLinkedAccountParts,
  signIns: ProviderSignIns,
): Endpoint[] => {
  const linkInput = createInput(linkFields, services.catalogue);
  const areas: readonly IdentityArea[] = [
    {
      names: { list: 'listIdentities', link: 'linkProvider', unlink: 'unlinkIdentity' },
      paths: { list: '/api/v1/auth/identities', link: '/api/v1/auth/oidc/:provider/link' },
      auth: ['jwt'],
      policy: { kind: 'user' },
      tag: 'Auth',
      wrong: loginFailed,
    },
    {
      names: { list: 'adminListIdentities', link: 'adminLinkProvider', unlink: 'adminUnlinkIdentity' },
      paths: { list: '/admin/identities', link: '/admin/identities/:provider' },
      auth: adminAuth,
      policy: administratorOnly,
      tag: adminTag,
      // The session is valid: 401 would end it on the page.
      wrong: () =>
        new Problem('invalid_record', { errors: [linkInput.error('password', { rule: 'wrong_password' })] }),
    },
  ];
  return areas.flatMap((area) => [
    listEndpoint(services, area),
    linkEndpoint(services, signIns, linkInput, area),
    unlinkEndpoint(services, area),
  ]);
};
