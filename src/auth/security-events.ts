import type { JsonObject } from '../kernel/json.ts';

/** Actions of sign-ins, keys and administration beside the changes that the audit log has anyway. */
export type SecurityAction =
  /** The password was right. */
  | 'sign_in'
  /** The password was wrong, or the account does not exist. */
  | 'sign_in.failed'
  /** Refused without a check: too many failures before. */
  | 'sign_in.locked'
  /** A refresh token was used a second time, and its sign-in has ended. */
  | 'sign_in.reused'
  | 'key.new_network'
  /** A key of a service account expires within 14 days. */
  | 'key.expiring'
  /** The administration area refused a request: no administrator, or a page of another site. */
  | 'admin.refused'
  /** A token for the documentation page, issued for a session. */
  | 'session.token'
  | 'credentials.reload'
  /** A file was refused: older than one that was seen before, or damaged. */
  | 'credentials.refused';

export interface KnownUser {
  readonly id: number;
  readonly username: string;
}

export interface SecurityEvent {
  readonly action: SecurityAction;
  /** Null for observations of the service itself. */
  readonly address: string | null;
  /** The user who did it, as far as a credential proved it. */
  readonly by?: KnownUser | undefined;
  /** The account that was named; undefined where it does not exist. Typed text is not kept: it may be a password. */
  readonly account?: KnownUser | undefined;
  /** Contains no secret. */
  readonly detail?: JsonObject;
}

/**
 * Writes security events to the audit log and the log, at most 60 a minute for one source, the rest as a count. A
 * source is a user, or the network of an anonymous caller. Never throws and is not awaited.
 */
export interface SecurityEvents {
  /** `account` looks up the named user, if the event is written and not only counted. */
  record(event: SecurityEvent, account?: () => Promise<KnownUser | undefined>): void;
  /** As `record`, for events that the audit log has already. */
  log(event: SecurityEvent): void;
}
