/** The types of `gatewright/testing`. */

import type { OutgoingHttpHeaders } from 'node:http';
import type { Application } from '../app/application.ts';
import type { Server } from '../app/server.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Scope } from '../model/scope.ts';
import type { JobRuns } from './run-jobs.ts';

/** Options of an application under test. */

export interface TestOptions {
  /** Folder of the application, or the application itself; the current folder unless given. */
  readonly application?: string | Application;
  /** Variables of the configuration beside those that the test sets itself (DATA_DIR, secrets, LOG_LEVEL, PORT). */
  readonly env?: Readonly<Record<string, string>>;
}

/** A response. `data`, `message` and `code` are those of the envelope. */
export interface TestResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
  readonly code: number;
  readonly message: string;
  readonly data: TestData;
}

/** The result of `JSON.parse`: it has no type of its own, and fits any type that the test expects. */
type Parsed = ReturnType<typeof JSON.parse>;

/** The payload, a record or a list of them. Values are not typed: a wrong expectation fails at run time. */
export type TestData = { readonly [key: string | number]: Parsed } & readonly TestData[];

/** Sends a body as JSON; a text or bytes unchanged, with a type that a header may name. */
export type Send = (
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<TestResponse>;

/** A caller of the API. */
export interface TestClient {
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestResponse>;
  readonly post: Send;
  readonly patch: Send;
  readonly put: Send;
  readonly delete: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestResponse>;
}

/** A user of the service, who calls with a token of their own. */
export interface TestUser extends TestClient {
  readonly id: number;
  readonly username: string;
  readonly token: string;
}

/** A waiting job. @public */
export interface EnqueuedJob {
  readonly id: number;
  readonly name: string;
  readonly values: JsonObject;
  /** The earliest time at which it runs. */
  readonly at: string;
  readonly key: string | null;
}

/** The application's jobs, which run on demand (unless `env` has `JOBS: 'on'`). */
export interface TestJobs {
  /**
   * Runs every due job, and those that these enqueue; with `all` also jobs that wait for a later time at the call. No
   * job runs twice in a call; a failed one waits for its next attempt, which `all` runs. A recurring job is due where
   * the test has moved the clock over one of its ticks.
   */
  readonly run: (options?: { readonly all?: boolean }) => Promise<JobRuns>;
  /** Waiting jobs, the first to run first. */
  readonly enqueued: () => Promise<readonly EnqueuedJob[]>;
}

/** The clock of an application under test: the time of the machine until a test moves it. */
export interface TestClock {
  readonly now: () => Date;
  /** Moves it by `30s`, `10m`, `1h` or `7d`. @throws TypeError for another text */
  readonly advance: (by: string) => void;
  /**
   * Sets it to a later time, a Date or an ISO 8601 text with an offset; it goes on from there.
   * @throws TypeError for another text, RangeError for an earlier time
   */
  readonly set: (to: Date | string) => void;
}

export interface UserOptions {
  /** `viewer` unless one is given, since a user has at least one role. Missing roles are created. */
  readonly roles?: readonly string[];
  /** The password for signing in; other calls do not need one. */
  readonly password?: string;
}

/** Creates scopes, by which a test uses the application's data as its own code does. */
export interface MakeScope {
  /**
   * Acts for the system, as a job does: no permissions, all rows and fields; the reason in the audit log is `test`.
   */
  (): Scope<'all'>;
  /**
   * Acts for a user, as an endpoint does that they call with a token. Roles and grants are those of the moment:
   * create another scope after a `grant`.
   * @throws Error for a user who was deleted or disabled
   */
  (user: Pick<TestUser, 'id'>): Promise<Scope>;
}

export interface TestMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Undefined for a message without HTML. */
  readonly html: string | undefined;
  readonly locale: string;
}

export interface TestApplication {
  /** Calls as a user with this role, always the same one. A missing role is created. */
  readonly as: (role: string) => TestClient;
  /** Calls without any credentials. */
  readonly anonymous: TestClient;
  /** Creates another user, with these roles. */
  readonly user: (options?: UserOptions) => Promise<TestUser>;
  /** Grants a role an action (`create`, `update`, `destroy`, `read`) on a model, as an administrator does. */
  readonly grant: (role: string, model: string, action: string) => Promise<void>;
  readonly jobs: TestJobs;
  /**
   * Messages that `jobs.run()` has sent, in their order. Nothing leaves by SMTP; a `mail` function is called as well.
   */
  readonly mails: readonly TestMail[];
  readonly clock: TestClock;
  readonly scope: MakeScope;
  readonly server: Server;
  /** Base address of the service, for tests that need a connection. */
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}
