/** Texts of links by which users set a password. */
export const invitations = {
  way: 'Password',
  byLink: 'Invite by link',
  byPassword: 'Set it here',
  byLinkHelp:
    'A link is shown after saving. The user sets a password with it and cannot sign in before that.',
  byMailHelp:
    'After saving, a mail with a link is sent to the email address. The user sets a password with the link and cannot sign in before that.',
  invite: 'Invitation link',
  inviteTitle: 'Create an invitation link for %{name}?',
  reset: 'Reset link',
  resetTitle: 'Create a password reset link for %{name}?',
  lead: 'The user can set a password with the link once, within 72 hours. Any earlier link becomes invalid.',
  resetKeeps: 'Until the link is used, the current password stays valid.',
  mailLead: 'A mail with the link is sent to %{address}.',
  create: 'Create the link',
  send: 'Send the link',
  sentLead:
    'The link is sent to %{address}. If the mail does not arrive, copy the link instead: it cannot be shown again. Anyone who has it can set the password.',
  linkInstead: 'Copy the link instead',
  shownTitle: 'Link for %{name}',
  shownLead:
    'Copy it now and send it to the user: it cannot be shown again. Anyone who has it can set the password.',
  link: 'Link',
  validUntil: 'Valid until',
  confirmCopied: 'I have copied the link',
  notCreated: 'The user has been created, but the link could not be created. Create it here.',
  noPasswordYet: 'No password yet',
  openLink: 'Invitation link',
  endsLabel: 'ends ',
  endedLabel: 'ended ',
};
