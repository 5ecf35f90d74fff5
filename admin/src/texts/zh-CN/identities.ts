/** Texts of linked accounts: the own page, and the part of the page of a user. */
export const identities = {
  lead: '可用于登录的身份提供方账号。',
  link: '关联',
  linkWith: '关联 %{name}',
  linkLead: '请输入您的密码，然后在身份提供方登录。',
  linkFailed: '账号未能关联，请重试。',
  unlink: '解除关联',
  none: '没有关联账号。',
  since: '关联于 ',
  lastUsed: '最近使用 ',
  unlinkTitle: '解除 %{name} 与 %{provider} 的关联？',
  unlinkLead: '该用户此后不能再用 %{subject} 登录。会话与令牌不受影响：如需结束，请强制退出该用户。',
  unlinked: '已解除关联',
};
