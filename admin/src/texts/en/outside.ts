/** Texts of the sign-in, which is outside of the administration area. */
export const outside = {
  forgot: 'Forgot your password?',
  registerElsewhere: 'Register for the application',
  signInWith: 'Sign in with %{name}',
  providerFailed: 'The sign-in with the provider has failed. Try again.',
};
