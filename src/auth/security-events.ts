import type { JsonObject } from '../kernel/json.ts';

/** What is told of sign-ins, keys and administration beside the changes that stand in the audit list anyway. */
export type SecurityAction =
  /** A right password. */
  | 'sign_in'
  /** A wrong one, or an account that nobody has. */
  | 'sign_in.failed'
  /** Refused unseen: too many failures before. */
  | 'sign_in.locked'
  | 'key.new_network'
  /** The administration area refused somebody: no administrator, or a page of another site. */
  | 'admin.refused'
  /** A token for the documentation page, made of a session. */
  | 'session.token'
  | 'credentials.reload'
  /** A file that was not taken: older than one that was seen before, or damaged. */
  | 'credentials.refused';

export interface KnownUser {
  readonly id: number;
  readonly username: string;
}

export interface SecurityEvent {
  readonly action: SecurityAction;
  /** Null for what the service saw by itself. */
  readonly address: string | null;
  /** Who did it, as far as a credential proved it. */
  readonly by?: KnownUser | undefined;
  /** The account that was named; undefined where nobody has it. What was typed instead is as likely as not a password. */
  readonly account?: KnownUser | undefined;
  /** Never a secret. */
  readonly detail?: JsonObject;
}

/**
 * Takes security events into the audit list and the log, at most 60 a minute for one source, the others as a number. A
 * source is the user who did it, or the network of somebody unknown. Never throws and is not waited for.
 */
export interface SecurityEvents {
  /** `account` looks up who was named, if the event is taken and not only counted. */
  record(event: SecurityEvent, account?: () => Promise<KnownUser | undefined>): void;
  /** As `record`, for what stands in the audit list already. */
  logged(event: SecurityEvent): void;
}
