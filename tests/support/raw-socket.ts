import { connect, type Socket } from 'node:net';

/** A connection without an HTTP client: for what no client would send. */
export interface RawSocket {
  write(data: string | Uint8Array): void;
  /** Everything received once the other side has closed. */
  closed(): Promise<string>;
  /** Resolves once the text was received so many times, or the other side has closed. */
  received(text: string, times?: number): Promise<string>;
  destroy(): void;
}

export const rawSocket = (port: number): RawSocket => {
  const socket: Socket = connect(port, '127.0.0.1');
  let text = '';
  let over = false;
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const check of waiting) check();
  };
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    look();
  });
  // A reset after the answer is no failure of the test: what counts is what came before it.
  socket.on('error', () => {});
  socket.on('close', () => {
    over = true;
    look();
  });
  const until = (done: () => boolean): Promise<string> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!done() && !over) return;
        waiting.delete(check);
        resolve(text);
      };
      waiting.add(check);
      check();
    });
  return {
    write: (data) => void socket.write(data),
    closed: () => until(() => over),
    received: (part, times = 1) => until(() => text.split(part).length > times),
    destroy: () => socket.destroy(),
  };
};

/** Sends the text; returns everything that comes until the server closes. Ask with `Connection: close`. */
export const exchange = (port: number, data: string | Uint8Array): Promise<string> => {
  const socket = rawSocket(port);
  socket.write(data);
  return socket.closed();
};

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The first answer in what was received. */
export const parseRaw = (text: string): RawAnswer => {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...fields] = text.slice(0, end).split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  });
  return { status: Number(line.split(' ')[1]), headers: new Map(headers), body: text.slice(end + 4) };
};
