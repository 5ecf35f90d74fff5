/** Acknowledges webhooks at once, so that the sender waits for nothing else. Prints its port, and ends with stdin. */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
process.stdin.resume().once('end', () => process.exit());
