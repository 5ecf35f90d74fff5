/** Texts of the dialog at the end of a session. */
export const sessionEnd = {
  title: 'Sign in again',
  lead: 'Your session has ended: it was idle too long, your password was changed, or the session was ended elsewhere. Sign in to continue; your input is kept.',
  giveUp: 'Discard and leave this page',
  stranger:
    '%{now} is signed in now. This page and its input belong to %{name}: sign in as %{name} to continue.',
  startOver: 'Start over as %{name}',
};
