/** Decides which reads a replica may serve, so that callers see their own writes. */

import { callerOf } from '../auth/caller.ts';
import { cookieValues } from '../auth/session.ts';
import type { CommitNote, Replica } from '../database/database.ts';
import type { Around, HttpResponse } from './pipeline.ts';
import type { Request } from './request.ts';

/** Header of the responses to writes. Reads with this header go to the primary. */
export const positionHeader = 'X-Commit-Position';

const headerName = positionHeader.toLowerCase();

const positionValue = 'recent';

/** Time for which a browser sends the cookie: a replica in use is less than one second behind. */
const cookieMaxAgeSeconds = 2;

const listOf = (value: string | readonly string[] | undefined): readonly string[] => {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
};

/** Adds the header and the cookie to a response, which keeps its own cookies. */
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
 * Sends reads that may lag to a replica. After a write the reads of its caller stay on the primary: this instance
 * remembers the caller, and all others see the header or, from browsers, the cookie of the response.
 */
export const replicaReads = (replica: Replica, baseUrl: string): Around => {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = isSecure ? '__Host-gatewright_position' : 'gatewright_position';
  const cookie = `${name}=${positionValue}; Max-Age=${cookieMaxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

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
