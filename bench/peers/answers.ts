import { callers } from '../callers.ts';
import type { Asked, Headers, Page, Person } from './peer.ts';

/** A member of an answer. @throws Error where there is none */
export const memberOf = (answer: unknown, name: string): unknown => {
  const value = (answer as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (value === undefined)
    throw new Error(`no ${name} in the answer: ${JSON.stringify(answer).slice(0, 300)}`);
  return value;
};

export const dataOf = (answer: unknown): unknown => memberOf(answer, 'data');

/** A page whose rows are its data, with a total in a header where there is one. */
export const pageWithHeader = (answer: unknown, headers: globalThis.Headers): Page => {
  const total = headers.get('x-total-count');
  return { records: dataOf(answer) as unknown[], ...(total === null ? {} : { total: Number(total) }) };
};

/** A page that holds its rows as `data` and always a `total`. */
export const pageWithTotal = (answer: unknown): Page => ({
  records: dataOf(answer) as unknown[],
  total: memberOf(answer, 'total') as number,
});

/** The header that carries a token. */
export const bearer = (token: unknown): Headers => ({ authorization: `Bearer ${String(token)}` });

export interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly headers: globalThis.Headers;
}

/** Sends a request to a server on this machine. */
export const send = async (port: number, asked: Asked, headers: Headers = {}): Promise<Answered> => {
  const { method, path, body } = asked;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text.startsWith('{') || text.startsWith('[');
  return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
};

/** The same, where only one status is good. @throws Error on every other */
export const expectStatus = async (
  port: number,
  asked: Asked,
  headers: Headers = {},
  good: (status: number) => boolean = (status) => status < 300,
): Promise<Answered> => {
  const answered = await send(port, asked, headers);
  if (good(answered.status)) return answered;
  const said = JSON.stringify(answered.body).slice(0, 500);
  throw new Error(`${asked.method} ${asked.path}: ${answered.status} ${said}`);
};

/** The users who ask everywhere, and the one who administers where a product has that. */
export const people = {
  users: Array.from(
    { length: callers },
    (_, index): Person => ({ email: `bench${index + 1}@example.com`, password: 'a password of the bench 1' }),
  ),
  admin: { email: 'admin@example.com', password: 'a password of the admin 1' },
} as const;

/** The last line that a program printed. @throws Error where it is no JSON */
export const lastJson = (printed: string): unknown => JSON.parse(printed.trim().split('\n').at(-1) ?? '');
