// Nobody in the comparison logs requests.
module.exports = { level: 'warn' };
