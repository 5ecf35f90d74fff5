import { connect, type Socket } from 'node:net';
import type { Instance } from './instance.ts';

/** Connections of an attacker. */
export interface Crowd {
  leave(): void;
}

const crowd = (instance: Instance, size: number, begin: (socket: Socket, index: number) => void): Crowd => {
  const sockets = Array.from({ length: size }, (_, index) => {
    const socket = connect(instance.port, '127.0.0.1', () => begin(socket, index));
    // Their fate is the service's business.
    return socket.on('error', () => {});
  });
  return {
    leave: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** The header of the trusted proxy with a stranger's address: twenty networks in turn. */
const from = (index: number): string => `X-Forwarded-For: 198.51.${index % 20}.7`;

const head = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');

/** Ask for the whole public list and read none of it. */
export const unreadLists = (instance: Instance, size: number): Crowd =>
  crowd(instance, size, (socket, index) => {
    socket.pause();
    socket.write(head('GET /api/v1/notices', from(index)));
  });

/** Send half of a body of a megabyte to an endpoint that requires a token, and then nothing more. */
export const halfBodies = (instance: Instance, size: number): Crowd =>
  crowd(instance, size, (socket, index) => {
    const headers = ['Content-Type: application/json', 'Content-Length: 1000000', from(index)];
    socket.resume().write(head('POST /api/v1/entries', ...headers));
    socket.write('x'.repeat(500_000));
  });

/** Guess passwords and hang up before the answer. */
export const hungUpLogins = (instance: Instance, size: number): Crowd =>
  crowd(instance, size, (socket, index) => {
    const body = JSON.stringify({ account: `stranger-${index}`, password: 'guess-guess-guess' });
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, from(index)];
    socket.write(head('POST /api/v1/auth/login', ...headers) + body);
    setTimeout(() => socket.destroy(), 700).unref();
  });

/** Search through everything, again and again, as often as a connection allows. */
export const searches = (instance: Instance, size: number): Crowd =>
  crowd(instance, size, (socket, index) => {
    const next = (): void =>
      void socket.write(head(`GET /api/v1/notices?page=1&q=nothing${index}`, from(index)));
    socket.on('data', next);
    next();
  });

/** Connect and say nothing. */
export const silent = (instance: Instance, size: number): Crowd => crowd(instance, size, () => {});
