import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A message as a server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, unchanged. */
  readonly raw: string;
  readonly user: string | undefined;
}

export interface SmtpReceiver {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** Connections so far. */
  readonly connections: () => number;
}

/** Headers of a message by lower-case name, unfolded; repeated ones are several values. */
export const headersOf = ({ raw }: ReceivedMail): ReadonlyMap<string, readonly string[]> => {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const headers = new Map<string, string[]>();
  for (const line of head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [name = '', ...value] = line.split(':');
    const known = headers.get(name.toLowerCase()) ?? [];
    headers.set(name.toLowerCase(), [...known, value.join(':').trim()]);
  }
  return headers;
};

/** The plain text of a message, decoded. */
export const plainTextOf = ({ raw }: ReceivedMail): string => {
  const [, head = '', body = ''] =
    /(Content-Type: text\/plain(?:\r\n|.)*?)\r\n\r\n((?:\r\n|.)*?)\r\n--/i.exec(raw) ?? [];
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};

/**
 * A real SMTP server on a port of its own, until the test ends. It encrypts with a certificate of its own.
 * @param onReceived called with a message that is stored and not yet confirmed
 */
export const receiveMail = async (
  options: SMTPServerOptions = {},
  onReceived: (done: () => void) => void = (done) => done(),
): Promise<SmtpReceiver> => {
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onData: (stream, session, done) => {
      text(stream).then((raw) => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        received.push({ from, to: rcptTo.map(({ address }) => address), raw, user: session.user });
        onReceived(done);
      }, done);
    },
    ...options,
  });
  // A client that refuses the certificate ends the connection.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.server.address() as AddressInfo).port, received, connections: () => connections };
};
