/** Texts of the sign-in. */
export const signIn = {
  title: '登录管理后台',
  lead: '仅限 super_admin 与 admin。',
  account: '用户名或邮箱',
  password: '密码',
  submit: '登录',
  notAdministrator: '该账号无权进入管理后台。',
};
