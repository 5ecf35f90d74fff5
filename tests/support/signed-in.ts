import { expect } from 'vitest';

/** The first administrator of a service that `runService` has started, by HTTP. */
export interface SignedIn {
  /** Address of its API, with `/api/v1`. */
  readonly api: string;
  readonly token: string;
}

/** A POST of JSON. */
export const post = (url: string, body: object, token?: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });

export const signIn = async (api: string): Promise<SignedIn> => {
  const login = await post(`${api}/auth/login`, { account: 'admin', password: 'tulip-anvil-47 kettle' });
  expect(login.status).toBe(200);
  return { api, token: ((await login.json()) as { data: { token: string } }).data.token };
};
