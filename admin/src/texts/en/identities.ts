/** Texts of linked accounts: the own page, and the part of the page of a user. */
export const identities = {
  lead: 'Accounts at identity providers with which you can sign in.',
  link: 'Link',
  linkWith: 'Link %{name}',
  linkLead: 'Enter your password. Then sign in at the provider.',
  linkFailed: 'The account was not linked. Try again.',
  unlink: 'Unlink',
  none: 'No account is linked.',
  since: 'linked ',
  lastUsed: 'last used ',
  unlinkTitle: 'Unlink the account of %{name} at %{provider}?',
  unlinkLead:
    'The user can no longer sign in with %{subject}. Sessions and tokens stay: sign the user out to end them.',
  unlinked: 'The account has been unlinked',
};
