/** Texts about the own account: its menu, and the form of its password. */
export const account = {
  changePassword: 'Change password',
  identities: 'Linked accounts',
  changeLead: 'Your other sessions end, and your tokens are revoked. API keys stay valid.',
  currentPassword: 'Current password',
  showPasswords: 'Show passwords',
  passwordChanged: 'The password has been changed',
  firstTitle: 'Change your password first',
  firstLead: 'An administrator requires you to set your own password before you continue.',
  passwordHelp: 'At least 8 characters, not a common password, not based on a name of the account',
  newPassword: 'New password',
};
