/** Texts about the own account: its menu, and the form of its password. */
export const account = {
  changePassword: '修改密码',
  identities: '已关联的账号',
  changeLead: '修改后，您的其他会话将全部结束，令牌将被吊销。API 密钥不受影响。',
  currentPassword: '当前密码',
  showPasswords: '显示密码',
  passwordChanged: '密码已修改',
  firstTitle: '请先修改密码',
  firstLead: '管理员要求您设置自己的密码。在此之前无法使用其他功能。',
  passwordHelp: '至少 8 个字符，不得过于常见，也不得以账号名称为主',
  newPassword: '新密码',
};
