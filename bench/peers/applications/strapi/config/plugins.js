module.exports = () => ({
  'users-permissions': { config: { jwtManagement: 'refresh', sessions: { httpOnly: true } } },
});
