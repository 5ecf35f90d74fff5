import { callerOf } from '../auth/caller.ts';
import { cookieValues } from '../auth/cookie.ts';
import type { CommitNote, Replica } from '../database/database.ts';
import type { Around, HttpResponse } from './pipeline.ts';
import type { Request } from './request.ts';

/** Header of answers to writes. Reads that bring it are answered by the first server. */
export const positionHeader = 'X-Commit-Position';

const headerName = positionHeader.toLowerCase();

const positionValue = 'recent';

/** Seconds for which a browser brings the cookie: a replica that is used is less than one second behind. */
const cookieMaxAge = 2;

const listOf = (value: string | readonly string[] | undefined): readonly string[] => {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
};

/** Adds header and cookie; the response keeps its own cookies. */
const withPosition = (response: HttpResponse, cookie: string): HttpResponse => {
  const headers: Record<string, string | readonly string[]> = {};
  const cookies: string[] = [];
  for (const [name, value] of Object.entries(response.headers))
    if (name.toLowerCase() === 'set-cookie') cookies.push(...listOf(value));
    else if (name.toLowerCase() !== headerName) headers[name] = value;
  return {
    ...response,
    headers: { ...headers, [positionHeader]: positionValue, 'Set-Cookie': [...cookies, cookie] },
  };
};

/**
 * Lets reads that may lag go to a replica. After a write its caller stays on the first server: this instance remembers the
 * caller, and the answer has a header and, for browsers, a cookie, which tell every other instance.
 */
export const replicaReads = (replica: Replica, baseUrl: string): Around => {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = isSecure ? '__Host-gatewright_position' : 'gatewright_position';
  const cookie = `${name}=${positionValue}; Max-Age=${cookieMaxAge}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

  const hasWritten = (request: Request): boolean => {
    const cookies = request.header('cookie');
    return (
      request.header(headerName) !== undefined ||
      (cookies !== undefined && cookieValues(cookies, name).length > 0)
    );
  };

  return ({ mayLag }, serve) =>
    async (request) => {
      if (mayLag === true)
        request.reader = () =>
          replica.readerFor({ caller: () => request.caller, hasWritten: hasWritten(request) });
      const note: CommitNote = {
        get caller() {
          return callerOf(request.principal, request.address);
        },
        hasCommitted: false,
      };
      const response = await replica.noting(note, () => serve(request));
      return note.hasCommitted ? withPosition(response, cookie) : response;
    };
};
