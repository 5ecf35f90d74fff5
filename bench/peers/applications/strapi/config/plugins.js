// As generated, but for the cookie: a production server sends it by HTTPS only, and the token is in the answer as well.
module.exports = () => ({
  'users-permissions': { config: { jwtManagement: 'refresh', sessions: { httpOnly: false } } },
});
