import { expect, it } from 'vitest';
import type { RequestOptions } from './http-client.ts';
import type { Service, TestUser } from './service.ts';

/** A request and what must come of it, as data. */
export interface Scenario extends Omit<RequestOptions, 'token'> {
  /** The words for the request; the status stands before them in the test's name. */
  readonly name: string;
  /** `METHOD /path`. */
  readonly request: string;
  /** The user whose token is sent; a key of the users that the tests name. */
  readonly as?: string;
  readonly status: number;
  /** The envelope's code. */
  readonly code?: number;
  readonly message?: string;
  /** Texts that the answer must have, and must not have. */
  readonly contains?: readonly string[];
  readonly excludes?: readonly string[];
  /** Headers that the answer must have. */
  readonly answers?: Readonly<Record<string, string | RegExp>>;
}

type Users = Readonly<Record<string, TestUser>>;

const play = async (service: Service, users: Users, scenario: Scenario): Promise<void> => {
  const {
    request,
    as,
    name,
    status,
    code,
    message,
    contains = [],
    excludes = [],
    answers = {},
    ...rest
  } = scenario;
  const [method = '', path = ''] = request.split(' ');
  const user = as === undefined ? undefined : users[as];
  if (as !== undefined && user === undefined) throw new Error(`${name}: no user ${as}`);
  const answer = await service.request(method, path, { ...rest, token: user });
  expect({ status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({ status });
  if (code !== undefined) expect(answer.json.code).toBe(code);
  if (message !== undefined) expect(answer.json.message).toBe(message);
  for (const text of contains) expect(answer.text).toContain(text);
  for (const text of excludes) expect(answer.text).not.toContain(text);
  for (const [header, form] of Object.entries(answers)) expect(answer.headers[header]).toMatch(form);
};

/** A test for each scenario. `users` is asked once the tests run, since they are made by then only. */
export const playScenarios = (
  service: Service,
  scenarios: readonly Scenario[],
  users: () => Users = () => ({}),
): void => {
  for (const scenario of scenarios)
    it(`${scenario.status}: ${scenario.name}`, () => play(service, users(), scenario));
};
