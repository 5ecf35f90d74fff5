import { callerOf } from '../auth/caller.ts';
import { cookieValues } from '../auth/cookie.ts';
import type { CommitNote, Replica } from '../database/database.ts';
import type { Around, HttpResponse } from './pipeline.ts';
import type { Request } from './request.ts';

/** In answers: where their last commit is over. In requests: what a read has to see. */
export const positionHeader = 'X-Commit-Position';

const headerName = positionHeader.toLowerCase();

/** Seconds for which a browser keeps a position: after one second no replica is asked that has not come to it. */
const maxAge = 5;

const listOf = (value: string | readonly string[] | undefined): readonly string[] => {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
};

/** An answer's own cookies stay. */
const withPosition = (response: HttpResponse, position: string, cookie: string): HttpResponse => {
  const headers: Record<string, string | readonly string[]> = {};
  const cookies: string[] = [];
  for (const [name, value] of Object.entries(response.headers))
    if (name.toLowerCase() === 'set-cookie') cookies.push(...listOf(value));
    else if (name.toLowerCase() !== headerName) headers[name] = value;
  return {
    ...response,
    headers: { ...headers, [positionHeader]: position, 'Set-Cookie': [...cookies, cookie] },
  };
};

/**
 * Has reads that may lag go to a replica, and hands out where each commit is over: in a header and, for browsers, in a
 * cookie, so that every instance knows what the caller has to see.
 */
export const replicaReads = (replica: Replica, baseUrl: string): Around => {
  const secure = new URL(baseUrl).protocol === 'https:';
  const name = secure ? '__Host-gatewright_position' : 'gatewright_position';
  const cookieOf = (position: string): string =>
    `${name}=${position}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

  const positionsOf = (request: Request): readonly string[] => {
    const header = request.header(headerName);
    const cookies = request.header('cookie');
    return [
      ...(header === undefined ? [] : header.split(',').map((each) => each.trim())),
      ...(cookies === undefined ? [] : cookieValues(cookies, name)),
    ];
  };

  return ({ mayLag }, serve) =>
    async (request) => {
      if (mayLag === true)
        request.reader = () =>
          replica.readerFor({ caller: () => request.caller, positions: positionsOf(request) });
      const note: CommitNote = {
        get caller() {
          return callerOf(request.principal, request.address);
        },
        position: undefined,
      };
      const response = await replica.noting(note, () => serve(request));
      return note.position === undefined
        ? response
        : withPosition(response, note.position, cookieOf(note.position));
    };
};
