import type { OutgoingHttpHeaders } from 'node:http';
import type { Application } from '../app/application.ts';
import type { Server } from '../app/server.ts';
import type { JobRuns } from '../jobs/by-hand.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Scope } from '../model/scope.ts';

/** What tests of an application work with. */

export interface TestOptions {
  /** Folder of the application, or the application itself; the current folder unless given. */
  readonly application?: string | Application;
  /** Variables of the configuration beside those that the test sets itself (DATA_DIR, secrets, LOG_LEVEL, PORT). */
  readonly env?: Readonly<Record<string, string>>;
}

/** An answer. `data`, `message` and `code` are those of the envelope. */
export interface TestResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
  readonly code: number;
  readonly message: string;
  readonly data: TestData;
}

/** What `JSON.parse` returns: it has no type of its own, and can be passed on as what the test takes it for. */
type Parsed = ReturnType<typeof JSON.parse>;

/**
 * The payload, a record or a list of them. Values have no type: a test that takes one for what it is not fails when it
 * runs.
 */
export type TestData = { readonly [key: string | number]: Parsed } & readonly TestData[];

/** Sends a body as JSON; a text or bytes as they are, whose type a header may name. */
export type Send = (
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<TestResponse>;

/** Somebody who calls the API. */
export interface TestClient {
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestResponse>;
  readonly post: Send;
  readonly patch: Send;
  readonly put: Send;
  readonly delete: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestResponse>;
}

/** A user of the service, who calls with a token of theirs. */
export interface TestUser extends TestClient {
  readonly id: number;
  readonly username: string;
  readonly token: string;
}

/** A job that waits. @public */
export interface EnqueuedJob {
  readonly id: number;
  readonly name: string;
  readonly values: JsonObject;
  /** From when on it runs. */
  readonly at: string;
  readonly key: string | null;
}

/** The application's jobs, which run when the test says so (unless `env` says `JOBS: 'on'`). */
export interface TestJobs {
  /**
   * Runs everything that is due, and what it enqueues, to its end; with `all` also what waits for later when this is
   * called. No job runs twice in a call; what failed waits for its next attempt, which `all` runs.
   */
  readonly run: (options?: { readonly all?: boolean }) => Promise<JobRuns>;
  /** What waits, the first to run first. */
  readonly enqueued: () => Promise<readonly EnqueuedJob[]>;
}

export interface UserOptions {
  /** `viewer` unless given. One that is not there is made. */
  readonly roles?: readonly string[];
  /** What they sign in with; without one they cannot, which no other call needs. */
  readonly password?: string;
}

/** Makes scopes, by which a test works with the application's data as its own code does. */
export interface MakeScope {
  /** Acts for the system, as a job does: no permissions, all rows and fields; the reason in the audit list is `test`. */
  (): Scope<'all'>;
  /**
   * Acts for a user, as an endpoint does whom they call with a token. Roles and grants are those of now, as a request
   * would read them: make another one behind a `grant`.
   * @throws Error for a user who is not there any more, or is disabled
   */
  (user: Pick<TestUser, 'id'>): Promise<Scope>;
}

export interface TestApplication {
  /** Calls as a user with this role; always the same user for the same role. A role that is not there is made. */
  readonly as: (role: string) => TestClient;
  /** Calls without any credentials. */
  readonly anonymous: TestClient;
  /** Makes one more user, with these roles. */
  readonly user: (options?: UserOptions) => Promise<TestUser>;
  /** Grants a role an action (`create`, `update`, `destroy`, `read`) on a model, as an administrator does. */
  readonly grant: (role: string, model: string, action: string) => Promise<void>;
  readonly jobs: TestJobs;
  readonly scope: MakeScope;
  readonly server: Server;
  /** Address that it answers on, for whatever needs a connection. */
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}
