import type { SameKeys } from './same-keys.ts';
import type { zhCNPeople } from './zh-cn-people.ts';

export const enPeople: SameKeys<typeof zhCNPeople> = {
  made: {
    title: 'Made by this user for others',
    lead: 'Keys and webhooks go on when this user is disabled, loses the administrator role or is deleted. Decide about them then. Open invitation links end.',
  },
  invitation: {
    title: 'Set a password',
    loading: 'Looking at the link…',
    forWhom: 'By this link the password of the account “%{name}” is set.',
    until: 'The link is good until',
    password: 'New password',
    again: 'The new password again',
    differ: 'The two passwords differ',
    submit: 'Set the password',
    incompleteTitle: 'The link is not whole',
    incomplete:
      'The address holds no invitation, or this page was loaded anew. Open the whole link that you were given once more.',
    over: 'The link cannot be used',
    askAnother: 'If you still need to set a password, ask an administrator for a new link.',
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
      'A link is shown once you have saved: by it the user sets a password of their own, and cannot sign in before.',
    invite: 'Invitation link',
    inviteTitle: 'Make an invitation link for %{name}?',
    reset: 'Reset link',
    resetTitle: 'Make a password reset link for %{name}?',
    lead: 'By the link the user sets a password of their own, once within 72 hours. A link that was made before ends.',
    resetKeeps: 'Until the link is used, the present password stays good.',
    make: 'Make the link',
    shownTitle: 'Link for %{name}',
    shownLead:
      'Copy it now and send it to the user: it cannot be shown again. Whoever holds it can set the password.',
    link: 'Link',
    endsAt: 'Good until',
    kept: 'I have copied the link',
    notMade: 'The user has been created, but the link could not be made: make it here.',
    invited: 'No password yet',
    openLink: 'Invitation link',
    goodFor: 'ends ',
    endedAt: 'ended ',
  },
};
