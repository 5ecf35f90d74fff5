/** Texts of the list of rejected requests. */
export const refusals = {
  title: 'Rejected requests',
  lead: 'Requests by known callers that were rejected within 24 hours, including those with expired credentials. Open one to see why.',
  causes: 'By caller, endpoint and code',
  single: 'Individual requests, grouped by hour',
  empty: 'No requests were rejected within 24 hours.',
  request: 'Request',
  hidden: 'A record that row rules hide',
  key: 'Key “%{name}” of %{owner}',
  revokedKey: 'Revoked key “%{name}” of %{owner}',
  revokedAt: 'Revoked on %{when}',
  revokedBy: 'Revoked on %{when} by %{who}',
  nowAllowed: 'It was rejected then (%{was}) and would be allowed now.',
  credentials: 'The credentials were invalid (%{was}).',
  tokenOver:
    'Tokens expire after 24 hours. A token created from a session ends with the session, and all tokens end when the user is disabled. The caller gets a new token by signing in again. The result below is for a valid token.',
  keyOver:
    'The key has expired, or its owner is disabled. An expired key cannot be extended: create a new one.',
  keyRevoked:
    'The key was revoked and is still being used. If the caller is legitimate, create a new key for it. Otherwise find out who has the old key.',
  signatureWrong:
    'The signature did not match, so the application may not have sent this request. Common causes: the secret was just rotated, the body sent differs from the body signed, or the timestamp differs from the signed one. The result below is for a valid signature.',
  signatureLate:
    'The timestamp was more than 300 seconds away from the time of the server. Correct the clock of the caller and sign just before sending. The result below is for a valid signature.',
  toUser: 'Show the user',
  toKey: 'Show the key',
  toApplications: 'Show applications',
  otherCodeNow: 'It was rejected with %{was} then, and would be rejected with %{code} now.',
};
