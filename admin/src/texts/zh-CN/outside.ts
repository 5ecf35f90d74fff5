/** Texts of the sign-in, which is outside of the administration area. */
export const outside = {
  forgot: '忘记密码？',
  registerElsewhere: '注册应用账号',
  signInWith: '通过 %{name} 登录',
  providerFailed: '通过身份提供方登录失败，请重试。',
};
