/** Preloaded by a service under siege: moves its clock by what the parent process says, in milliseconds. */
const machine = Date.now;
let offset = 0;
Date.now = () => machine() + offset;
process.on('message', (message: unknown) => {
  if (typeof message === 'object' && message !== null && 'offset' in message) offset = Number(message.offset);
});
process.channel?.unref();
