/** Requests of the measurements of scaling: details, pages, durable creates and updates, by many users. */
import { callers, spread } from '../callers.ts';
import { token } from '../data.ts';

export interface Kind {
  readonly name: string;
  /** Used in turn. */
  readonly requests: readonly string[];
  readonly expect: number;
}

const requestOf = (method: string, path: string, user: number, body?: string): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token(user)}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body ?? '',
  ].join('\r\n');

/** The callers in turn. */
const userOf = (index: number): number => 1 + (index % callers);

const title = 'A note of the benchmark {n}';

/** The body has the length that it has with the number, of nine digits, in place of the placeholder. */
const numbered = (method: string, path: string, user: number, body: string): string =>
  requestOf(method, path, user, body).replace(
    /Content-Length: (\d+)/,
    (_all, length) => `Content-Length: ${Number(length) + 6}`,
  );

/** @param notes number of notes in the database */
export const kindsOf = (notes: number): readonly Kind[] => [
  {
    name: 'detail',
    requests: spread(1_600, notes).map((id, index) => requestOf('GET', `/api/v1/notes/${id}`, userOf(index))),
    expect: 200,
  },
  {
    name: 'page of 20',
    requests: spread(notes / 20, notes / 20).map((page, index) =>
      requestOf('GET', `/api/v1/notes?per_page=20&page=${page}`, userOf(index)),
    ),
    expect: 200,
  },
  {
    name: 'create',
    requests: spread(callers, callers).map((user) =>
      numbered('POST', '/api/v1/notes', user, JSON.stringify({ note: { title, body: '......' } })),
    ),
    expect: 201,
  },
  {
    name: 'update',
    // Many rows, as updates of the same row wait for each other.
    requests: Array.from({ length: 997 }, (_, index) =>
      numbered(
        'PATCH',
        `/api/v1/notes/${index * 10 + 1}`,
        userOf(index),
        JSON.stringify({ note: { title } }),
      ),
    ),
    expect: 200,
  },
];
