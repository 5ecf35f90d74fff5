import type { SameKeys } from './same-keys.ts';
import type { zhCNPeople } from './zh-cn-people.ts';

export const enPeople: SameKeys<typeof zhCNPeople> = {
  made: {
    title: 'Created by this user for others',
    lead: 'Keys and webhooks stay active when this user is disabled, deleted or no longer an administrator: review them then. Open invitation links end.',
  },
  invitation: {
    title: 'Set a password',
    loading: 'Checking the link…',
    forWhom: 'This link sets the password of the account “%{name}”.',
    until: 'The link is valid until',
    password: 'New password',
    again: 'Repeat the new password',
    differ: 'The passwords do not match',
    submit: 'Set the password',
    incompleteTitle: 'The link is incomplete',
    incomplete:
      'The address contains no invitation, or this page was reloaded. Open the complete link again.',
    over: 'The link cannot be used',
    askAnother: 'To set a password, ask an administrator for a new link.',
    done: 'The password is set',
    doneLead:
      'The account “%{name}” can now sign in with it. The administration area is for administrators only: you can close this page.',
    signIn: 'The password is set. Sign in with it.',
    toSignIn: 'To the sign-in',
  },
  invite: {
    way: 'Password',
    byLink: 'Invite by link',
    byPassword: 'Set it here',
    byLinkHelp:
      'A link is shown after saving. The user sets a password with it and cannot sign in before that.',
    invite: 'Invitation link',
    inviteTitle: 'Create an invitation link for %{name}?',
    reset: 'Reset link',
    resetTitle: 'Create a password reset link for %{name}?',
    lead: 'The user can set a password with the link once, within 72 hours. Any earlier link becomes invalid.',
    resetKeeps: 'Until the link is used, the current password stays valid.',
    make: 'Create the link',
    shownTitle: 'Link for %{name}',
    shownLead:
      'Copy it now and send it to the user: it cannot be shown again. Anyone who has it can set the password.',
    link: 'Link',
    endsAt: 'Valid until',
    kept: 'I have copied the link',
    notMade: 'The user has been created, but the link could not be created. Create it here.',
    invited: 'No password yet',
    openLink: 'Invitation link',
    goodFor: 'ends ',
    endedAt: 'ended ',
  },
};
