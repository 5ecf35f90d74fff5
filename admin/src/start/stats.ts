/** Statistics as `/admin/stats` returns them. */

export interface Point {
  /** Start of the hour or day, UTC. */
  readonly at: string;
  readonly authentication: Readonly<Record<string, number>>;
  readonly status: Readonly<Record<string, number>>;
  readonly failed_sign_ins: number;
}

export interface ModelInNeed {
  readonly model: string;
  readonly path: string;
}

export interface FailedSignIn {
  /** Null if there is no such account. */
  readonly user: { readonly id: number; readonly username: string; readonly disabled: boolean } | null;
  readonly address: string | null;
  readonly count: number;
  readonly last_at: string;
}

/** The first steps that are done. */
export interface FirstSteps {
  readonly user: boolean;
  readonly grant: boolean;
  readonly key: boolean;
  readonly call: boolean;
}

export interface KeyInNeed {
  readonly id: number;
  readonly name: string;
  readonly user: { readonly id: number; readonly username: string };
  readonly expires_at: string | null;
  readonly created_at: string;
}

export interface KeysInNeed {
  /** Counted up to 1,000. */
  readonly count: number;
  readonly keys: readonly KeyInNeed[];
}

/** A key with more scopes than its requests of the last 30 days needed. */
export interface OverPrivilegedKey extends KeyInNeed {
  readonly narrower_scopes: readonly string[];
}

/** Advice as `/admin/api_keys/advice` returns it. */
export interface KeyAdvice {
  readonly endless_keys: KeysInNeed;
  readonly neglected_keys: KeysInNeed;
  readonly wide_keys: { readonly count: number; readonly keys: readonly OverPrivilegedKey[] };
}

/** The state of the service; null where it is unknown. */
export interface ServiceState {
  /** Code of the reason why the service takes no writes; null if it does. */
  readonly problem: number | null;
  readonly database_bytes: number | null;
  readonly disk: { readonly bytes: number; readonly free_bytes: number } | null;
  readonly backed_up_at: string | null;
  readonly application_version: string | null;
}

export interface Statistics {
  readonly service: ServiceState;
  readonly last_24_hours: readonly Point[];
  readonly last_30_days: readonly Point[];
  /** Milliseconds within which half of all responses, and 95 % of them, were sent in 24 hours. */
  readonly response_times: { readonly p50: number | null; readonly p95: number | null };
  readonly attention: KeyAdvice & {
    readonly expiring_keys: KeysInNeed;
    readonly disabled_webhooks: {
      readonly count: number;
      readonly webhooks: readonly {
        readonly id: number;
        readonly url: string;
        readonly reason: string;
        readonly disabled_at: string | null;
      }[];
    };
    readonly open_resources: readonly ModelInNeed[];
    /** Models with a permission check and without any grant. */
    readonly ungranted_models: readonly ModelInNeed[];
    readonly failing_webhooks: {
      readonly count: number;
      readonly webhooks: readonly { readonly id: number; readonly url: string; readonly failures: number }[];
    };
    /** Jobs without further attempts. */
    readonly failed_jobs: {
      readonly count: number;
      readonly jobs: readonly {
        readonly id: number;
        readonly name: string;
        readonly error: string | null;
        readonly failed_at: string | null;
        /** Failed runs of a recurring job; 1 for other jobs. */
        readonly runs: number;
        readonly recurring: boolean;
        readonly paused: boolean;
      }[];
    };
    /** Messages whose last attempt failed, and the error of the latest. */
    readonly unsent_mail: { readonly count: number; readonly error: string | null };
    /** Work due for a minute and not started. */
    readonly backlog: { readonly jobs: number; readonly deliveries: number };
    /** Failures of the last 24 hours, by account and address. */
    readonly failed_sign_ins: {
      readonly count: number;
      readonly sign_ins: readonly FailedSignIn[];
    };
  };
  readonly first_steps: FirstSteps;
}

export const countText = (count: number): string => (count >= 1000 ? '1000+' : String(count));
