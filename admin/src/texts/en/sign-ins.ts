/** Texts of the sessions and tokens of a user, on the page of that user. */
export const signIns = {
  title: 'Signed in',
  sessions: 'Sessions',
  none: 'There are no valid sessions.',
  tokens: 'Tokens',
  lastTokenExpires: 'The last token that was issued expires ',
  noValidToken: 'No valid token is known.',
  revokedUpTo: 'Revoked is every token that expires by ',
  signedOut:
    '%{smart_count} token was signed out by itself. |||| %{smart_count} tokens were signed out one by one.',
  tokensNotListed: 'The service keeps no list of tokens; this is all that it knows.',
  since: 'since ',
  lastUsed: 'last used ',
};
