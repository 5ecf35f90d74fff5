/** A caller of an application under test, whose requests pass through the whole service. */

import type { Server } from '../app/server.ts';
import type { HttpMethod } from '../http/endpoint.ts';
import type { TestClient, TestData, TestResponse } from './shapes.ts';

const responseOf = ({ status, headers, text }: Awaited<ReturnType<Server['inject']>>): TestResponse => {
  const envelope = (): { code: number; message: string; data: TestData } => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new Error(`${status} with a body that is not JSON: ${text.slice(0, 200)}`, { cause });
    }
  };
  return {
    status,
    headers,
    text,
    get code() {
      return envelope().code;
    },
    get message() {
      return envelope().message;
    },
    get data() {
      const { data, message } = envelope();
      if (data === undefined) throw new Error(`${status} without data: ${message}`);
      return data;
    },
  };
};

/** True if the body is sent unchanged, as a text or bytes; a header gives its type unless it is JSON. */
const isWritten = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array;

/** Sends requests through the whole service, with the token of the promise. */
export const clientOf = (server: Server, token: () => Promise<string | undefined>): TestClient => {
  const send = async (
    method: HttpMethod,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> => {
    const bearer = await token();
    const sent: Record<string, string> = {};
    if (bearer !== undefined) sent['authorization'] = `Bearer ${bearer}`;
    if (body !== undefined) sent['content-type'] = 'application/json';
    const answer = await server.inject({
      method,
      path,
      headers: Object.assign(sent, headers),
      body: body === undefined || isWritten(body) ? body : JSON.stringify(body),
    });
    return responseOf(answer);
  };
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
  };
};
