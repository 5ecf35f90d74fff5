/** Texts of the sign-in. */
export const signIn = {
  title: 'Sign in to administration',
  lead: 'For super_admin and admin only.',
  account: 'Username or email',
  password: 'Password',
  submit: 'Sign in',
  notAdministrator: 'This account has no access to the administration area.',
};
