import { type Language, useLanguage } from '../texts/provider.ts';

/** The texts of the pages for password reset, registration and a new address, which load them only there. */
const en = {
  forgot: 'Forgot your password?',
  register: 'Register',
  toSignIn: 'Back to sign-in',
  signInWith: 'Sign in with %{name}',
  providerFailed: 'The sign-in with the provider has failed. Try again.',
  account: 'Username or email',
  email: 'Email',
  username: 'Username',
  name: 'Name (optional)',
  password: 'Password',
  resetTitle: 'Reset password',
  resetLead: 'Enter your username or email address. You will receive a link to choose a new password.',
  newPasswordTitle: 'Choose a new password',
  newPasswordLead: 'All your sessions and tokens end. Two-step verification stays as it is.',
  send: 'Send link',
  sentTitle: 'Check your mail',
  resetSent: 'If this account exists, a link was sent to its address. The link works once within 30 minutes.',
  changed: 'Your password is set',
  changedLead: 'You can sign in with the new password.',
  registerLead: 'Enter your email address. You will receive a link to complete the registration.',
  registerSent: 'A link was sent to this address. It works once within 30 minutes.',
  completeTitle: 'Complete your registration',
  complete: 'Register',
  registered: 'You are registered',
  registeredLead: 'You can sign in as %{name}.',
  addressTitle: 'Confirm your new address',
  addressLead: 'Later messages go to the new address. You can sign in with it.',
  confirm: 'Confirm address',
  addressDone: 'Your address is changed',
  addressDoneLead: 'Later messages go to the new address.',
  over: 'The link does not work',
  incomplete:
    'The address contains no token, or this page was reloaded. Open the complete link from the message again.',
  again: 'Request another link',
  incompleteTitle: 'The link is incomplete',
} as const;

type OwnTexts = { readonly [Key in keyof typeof en]: string };

const zhCN: OwnTexts = {
  forgot: '忘记密码？',
  register: '注册',
  toSignIn: '返回登录',
  signInWith: '通过 %{name} 登录',
  providerFailed: '通过身份提供方登录失败，请重试。',
  account: '用户名或邮箱',
  email: '邮箱',
  username: '用户名',
  name: '姓名（可选）',
  password: '密码',
  resetTitle: '重置密码',
  resetLead: '请输入用户名或邮箱，您会收到一个用于设置新密码的链接。',
  newPasswordTitle: '设置新密码',
  newPasswordLead: '您的全部会话与令牌将会结束，两步验证不受影响。',
  send: '发送链接',
  sentTitle: '请查收邮件',
  resetSent: '如果该账号存在，链接已发送到其邮箱。链接在 30 分钟内有效，只能使用一次。',
  changed: '密码已设置',
  changedLead: '您现在可以用新密码登录。',
  registerLead: '请输入邮箱，您会收到一个用于完成注册的链接。',
  registerSent: '链接已发送到此邮箱，在 30 分钟内有效，只能使用一次。',
  completeTitle: '完成注册',
  complete: '注册',
  registered: '注册成功',
  registeredLead: '您现在可以用账号“%{name}”登录。',
  addressTitle: '确认新邮箱',
  addressLead: '此后的邮件将发送到新邮箱，您也可以用它登录。',
  confirm: '确认邮箱',
  addressDone: '邮箱已修改',
  addressDoneLead: '此后的邮件将发送到新邮箱。',
  over: '链接无法使用',
  incomplete: '地址中没有令牌，或此页已重新加载。请再次打开邮件中的完整链接。',
  again: '重新获取链接',
  incompleteTitle: '链接不完整',
};

const texts: Readonly<Record<Language, OwnTexts>> = { en, 'zh-CN': zhCN };

/** The texts of these pages in the chosen language. */
export const useOwnTexts = (): OwnTexts => texts[useLanguage()];
