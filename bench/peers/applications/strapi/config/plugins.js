// As generated, but for the cookie: a production server sends it by HTTPS only, and the token is in the answer as well.
// And without the limit of sign-ins: 32 users sign in from one address within a minute.
module.exports = () => ({
  'users-permissions': {
    config: { jwtManagement: 'refresh', sessions: { httpOnly: false }, ratelimit: { enabled: false } },
  },
});
