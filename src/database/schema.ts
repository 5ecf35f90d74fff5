import type { Generated } from 'kysely';

/**
 * The service's own tables. Timestamps are bound and answered in the service's text form
 * (`YYYY-MM-DDTHH:MM:SS.mmmZ`); PostgreSQL keeps them as timestamptz, SQLite as that text.
 */
export interface CoreSchema {
  users: {
    id: Generated<number>;
    username: string;
    /** NFKC and case folded; unique. */
    username_canonical: string;
    /** Empty if there is none. */
    email: string;
    /** See `canonicalAddress`; unique. A text that is no address if there is none. */
    email_canonical: string;
    name: string;
    /** argon2id, PHC string; empty while there is none: the user is invited. */
    password_hash: string;
    /** The other user who set the password; null where users did it themselves. */
    password_set_by: number | null;
    disabled: boolean | number;
    must_change_password: Generated<boolean | number>;
    /** Incremented by a new password, a disabling and the end of all sessions: earlier verifications become invalid. */
    security_stamp: Generated<number>;
    /** Whether there is an authenticator application or a passkey, which the administration area then requires. */
    second_factor: Generated<boolean | number>;
    /** Greatest expiry of a token that was issued to the user, in Unix seconds; null before the first one. */
    last_token_expiry: number | null;
    /** Tokens of the user up to this expiry (Unix seconds) are revoked; null while none are. */
    revoked_token_expiry: number | null;
    /** `service`: no password and no sign-in, API keys only. */
    kind: Generated<'person' | 'service'>;
    /** The person who is responsible for a service account; null once that user is deleted, and of persons. */
    owner_id: number | null;
    created_at: string;
    updated_at: string;
  };
  /** Tokens that were revoked one by one; a row is removed after the token's expiry (Unix seconds). */
  gatewright_revoked_tokens: { user_id: number; expiry: number };
  /** Full-text searches that a migration created and whose words are not complete: keys below `below` have none. */
  gatewright_fills: { table_name: string; below: number };
  /** Nonces of signed requests that were accepted; a row is removed after its expiry (Unix seconds). */
  gatewright_nonces: { app_id: string; nonce: string; expiry: number };
  /** Requests that limits have counted. Times are microseconds since the epoch, by the clock of the database. */
  gatewright_buckets: {
    /** Of the limit and its caller. */
    name: string;
    /** When it is full again; of a quota, whose clock stands still, the number of its requests. */
    full_at: number;
    /** Requests that the last statement admitted, */
    granted: number;
    /** and those that had been admitted before it. */
    owed: number;
    size: number;
    /** 1, or 0 for a quota. */
    refills: number;
    /** Time that one request takes from it; 1 for a quota. */
    step: number;
    expires_at: number;
  };
  roles: { name: string; built_in: boolean | number; created_at: string };
  user_roles: { user_id: number; role: string };
  api_keys: {
    id: Generated<number>;
    user_id: number;
    name: string;
    /** SHA-256 of the key, lowercase hex; unique. */
    key_hash: string;
    /** First 8 hex digits of the key. */
    key_prefix: string;
    /** The other user who made it; null where owners did it themselves. */
    created_by: number | null;
    /** JSON arrays of texts; null: everything that the owner may do, from everywhere. */
    scopes: string | null;
    networks: string | null;
    /** JSON object `{max, window, burst}`; null: no limit of its own. */
    limit: string | null;
    /** Requests of a month; null: any number. */
    quota: number | null;
    expires_at: string | null;
    /** The expiry of which the owner of its service account has been notified. */
    notified_expires_at: string | null;
    created_at: string;
    /** Last use of any of its secrets. */
    last_used_at: string | null;
    /** When its secret was last replaced; null if it is the first one. */
    rotated_at: string | null;
    /** Last use of the present secret. */
    secret_used_at: string | null;
  };
  /** Secrets that a rotation has replaced, whether or not their overlap has ended. */
  gatewright_former_secrets: {
    /** SHA-256, lowercase hex. */
    key_hash: string;
    key_id: number;
    key_prefix: string;
    replaced_at: string;
    /** From when on it is refused. */
    ends_at: string;
    last_used_at: string | null;
  };
  /** Every (model, action) that some instance has registered at start. */
  permission_entries: { model: string; action: string };
  permissions: { role: string; model: string; action: string; created_at: string };
  sessions: {
    id: Generated<number>;
    user_id: number;
    /** HMAC-SHA256 of the session id, lowercase hex; unique. */
    session_hash: string;
    address: string;
    user_agent: string;
    /** Whether it was begun with a second factor; a session without is none where its user has one. */
    second_factor: Generated<boolean | number>;
    created_at: string;
    last_used_at: string;
  };
  payments: {
    id: Generated<number>;
    app_id: string;
    /** SHA-256 of app_id, timestamp and body: the same signed request again is the same payment. */
    fingerprint: string;
    body: string;
    order_no: string | null;
    amount: string | null;
    currency: string | null;
    status: string;
    created_at: string;
  };
  /** Successful responses kept for `Idempotency-Key`, 24 hours. */
  idempotency_keys: {
    /** SHA-256 of principal, method, path and key; primary key. */
    scope: string;
    fingerprint: string;
    status: number;
    headers: string;
    /** JSON text; null once values in it were dropped or forgotten. */
    data: string | null;
    created_at: string;
    /** Whose record was made; null for payments. */
    model: string | null;
  };
  application_usage: { app_id: string; last_used_at: string };
  audit: {
    id: Generated<number>;
    created_at: string;
    actor_kind: string;
    actor_id: string | null;
    actor_name: string | null;
    action: string;
    target_kind: string;
    target_id: string | null;
    target_name: string | null;
    /** JSON object: what changed, never a secret. */
    detail: string;
    address: string | null;
  };
  /** Responses to each key by the day: `YYYY-MM-DD` in UTC. */
  gatewright_key_usage: {
    key_id: number;
    day: string;
    requests: number;
    /** Those of them that were answered with a status of 400 or above. */
    refused: number;
    /** From where the last ones came. */
    address: string;
  };
  /** Networks from which keys were used. */
  gatewright_key_networks: { key_id: number; network: string; first_used_at: string };
  /** One row: the credentials file that was seen last. */
  gatewright_seen_credentials: { id: number; serial: number; digest: string; seen_at: string };
  /** Responses counted by the hour: `YYYY-MM-DDTHH` in UTC. */
  request_counts: { hour: string; authentication: string; status: number; requests: number };
  sign_in_failures: { hour: string; failures: number };
  /** One row. */
  gatewright_database: {
    /** 32 lowercase hex digits; no two databases have the same, but copies of one do. */
    id: string;
    /** Major version of the newest service that has migrated it. */
    major: number;
    /** Of the last readiness check, milliseconds since the epoch. */
    checked_at: number;
    /** When the last backup succeeded; null before the first one. */
    backed_up_at: string | null;
    /** When the service last ran, milliseconds since the epoch. */
    clock_at: number | null;
  };
  /** The outbox: work for after a commit. Finished work is removed. */
  gatewright_jobs: {
    id: Generated<number>;
    name: string;
    /** Unique among the jobs of this name that wait. */
    key: string | null;
    /** JSON object: the values. */
    input: string;
    state: 'waiting' | 'running' | 'failed';
    /** Runs that were begun, the one that runs included. */
    attempts: Generated<number>;
    /**
     * From when on it may be claimed: its time, or the end of the lease of the process that runs it; null once it has
     * failed.
     */
    available_at: string | null;
    /** Whose lease it is; null unless it runs. */
    lease: string | null;
    /** Why the last run failed. */
    error: string | null;
    created_at: string;
    started_at: string | null;
    failed_at: string | null;
  };
  /** Responses by route, hour and duration, of the last day. */
  gatewright_route_times: {
    /** `YYYY-MM-DDTHH`, UTC. */
    hour: string;
    method: string;
    route: string;
    /** Milliseconds that they took at most. */
    bound: number;
    requests: number;
    /** Those of them with a status of 400 to 499, */
    refused: number;
    /** and of 500 and above. */
    failed: number;
  };
  /** Routes and statuses of each key's requests, the last ones. */
  gatewright_key_calls: {
    key_id: number;
    method: string;
    route: string;
    status: number;
    requests: number;
    last_at: string;
  };
  /** Requests of each key by the day and the scope that they needed. */
  gatewright_key_uses: { key_id: number; day: string; scope: string; requests: number };
  /** Recurring jobs. */
  gatewright_schedules: {
    /** Of the job. */
    name: string;
    /** Cron expression and time zone. */
    pattern: string;
    /** The last tick for which a job was stored, or from when on ticks count. */
    ticked_at: string;
    /** Since when no job is stored for its ticks; null unless it is paused. */
    paused_at: string | null;
  };
  /** One row for each model into which something was ever imported. */
  gatewright_imports: {
    model: string;
    /** The run that may write: a random text; null while there is none. */
    run: string | null;
    /** Incremented by every step of a run, so that others see its progress. */
    steps: number;
  };
  /** Files that were imported in part, or whose end is not reported yet. */
  gatewright_import_places: {
    id: Generated<number>;
    model: string;
    /** Bytes from the beginning of the file that are in the database. */
    bytes: number;
    /** SHA-256 of these bytes, lowercase hex. */
    digest: string;
    /** Ends of lines among these bytes. */
    lines: number;
    created: number;
    updated: number;
    changed_at: string;
  };
  /** Saved views of lists in the administration area. */
  gatewright_views: {
    id: Generated<number>;
    user_id: number;
    /** `orders` of the application is `records/orders`; a list of the service has its own name. */
    resource: string;
    /** One user has it once for a resource. */
    name: string;
    /** JSON: filter, sort, columns. */
    query: string;
    /** Whether every administrator sees it; only its user changes it. */
    shared: Generated<boolean>;
    created_at: string;
    updated_at: string;
  };
  /** Receivers of events by HTTP. */
  gatewright_webhooks: {
    id: Generated<number>;
    url: string;
    /** JSON arrays of names. */
    models: string;
    actions: string;
    /** The user whose permissions decide what is sent; null once that user is deleted. */
    user_id: number | null;
    created_by: number | null;
    /** Whether that user made it, for the records that they manage. */
    managed: Generated<boolean | number>;
    disabled: Generated<boolean | number>;
    /** Sealed, as the one before it, which signs as well until its time is over. */
    secret: string;
    previous_secret: string | null;
    previous_until: string | null;
    /** Number of the last event of which it is known whether it is sent. */
    cursor: number;
    /** Number of consecutive failed attempts. */
    failures: Generated<number>;
    /** The delivery whose attempt failed last; null unless one has failed since the last success. */
    failed_delivery: number | null;
    /** The process that has the lease of its deliveries, and the end of that lease. */
    lane: string | null;
    lane_until: string | null;
    disabled_reason: string | null;
    disabled_at: string | null;
    created_at: string;
    updated_at: string;
  };
  /** Deliveries to webhooks, pending and past. */
  gatewright_deliveries: {
    id: Generated<number>;
    webhook_id: number;
    /** Number of the event. */
    event: number;
    model: string;
    record_id: number;
    action: string;
    version: number;
    /** `webhook-id` of every attempt. */
    message_id: string;
    state: 'waiting' | 'delivered' | 'failed' | 'skipped';
    attempts: Generated<number>;
    /** When it is due, or the end of the lease of its sender; null unless it waits and is the first of its record. */
    next_at: string | null;
    /** The process that sends it at this moment. */
    claim: string | null;
    request_headers: string | null;
    request_body: string | null;
    response_status: number | null;
    response_headers: string | null;
    response_body: string | null;
    /** Milliseconds. */
    duration: number | null;
    error: string | null;
    created_at: string;
    attempted_at: string | null;
    ended_at: string | null;
  };
  /** The last number of each count of records. */
  gatewright_counts: {
    model: string;
    /** The field whose values are counted. */
    field: string;
    /** The reference by which it is counted; empty if by none. */
    per: string;
    /** The referenced record; 0 if there is none. */
    target_id: number;
    /** 0 if the count never starts again. */
    period: number;
    last: number;
  };
  /** Requests that were refused, for a day. */
  gatewright_refusals: {
    id: Generated<number>;
    /** Hash of hour, caller, request and code: repeated refusals are counted. */
    fingerprint: string;
    refused_at: string;
    first_at: string;
    refusals: number;
    caller_kind: 'user' | 'api_key' | 'application';
    caller_id: string;
    caller_name: string;
    method: string;
    path: string;
    status: number;
    code: number;
    address: string;
  };
  /** Deleted keys by name; triggers of `api_keys` and `users` write those that the service does not. */
  gatewright_revoked_keys: {
    key_id: number;
    /** As it stood in `api_keys`. */
    key_hash: string;
    name: string;
    /** The owner as they were then. */
    user_id: number;
    username: string;
    revoked_at: string;
    /** As in the audit log; null if a statement of another version or program deleted it. */
    actor_kind: string | null;
    actor_id: string | null;
    actor_name: string | null;
  };
  /** Links by which users set a password of their own; at most one of a user is open. */
  gatewright_linked_accounts: {
    id: Generated<number>;
    user_id: number;
    /** Name in the configuration. */
    provider: string;
    issuer: string;
    /** Unique with the issuer. */
    subject: string;
    /** Session at the provider of the last sign-in, for its logout. */
    session_id: string | null;
    /** JSON array of texts: the claim from which roles followed at the last sign-in. Null if the provider maps none. */
    claim_values: string | null;
    /** Whether another user had its address when the first sign-in made the user, who then has none. */
    email_taken: Generated<boolean | number>;
    created_at: string;
    last_used_at: string;
  };
  gatewright_sign_in_codes: {
    /** SHA-256 of the one-time code, lowercase hex. */
    code_hash: string;
    user_id: number;
    security_stamp: number;
    /** Whether the provider has proved a second factor. */
    second_factor: boolean | number;
    expires_at: string;
  };
  gatewright_account_links: {
    id: Generated<number>;
    /** `password_reset`, `email` or `registration`; `address_in_use` once a notice was sent in place of a link. */
    purpose: string;
    /** The account or address as it was sent; with a token, the address to which the link was sent. */
    account: string;
    /** See `canonicalAccount`. */
    canonical: string;
    user_id: number | null;
    /** JSON of the requested username, name and password hash. */
    registration: string | null;
    locale: string;
    /** Of the client that made the request. */
    address: string | null;
    /** SHA-256 of the token, lowercase hex; unique. Null before a message was sent, and once a newer link replaced it. */
    token_hash: string | null;
    created_at: string;
    /** Null until a message was sent. */
    expires_at: string | null;
    /** Of the user, when the password was verified or the link was sent; null without a user. */
    security_stamp: number | null;
    /** The user who asked for it, or the network of an anonymous client. */
    requester: string | null;
  };
  gatewright_invitations: {
    id: Generated<number>;
    user_id: number;
    /** The administrator who made it: it is good for what they may do when it is used. */
    made_by: number | null;
    /** Whether code of the application made it for the system. */
    by_system: Generated<boolean | number>;
    /** SHA-256 of the token, lowercase hex; unique. */
    token_hash: string;
    created_at: string;
    expires_at: string;
    used_at: string | null;
    /** When it was used, or another took its place; null also once its time is over. */
    ended_at: string | null;
    /** Of the user, when the link was made. */
    security_stamp: number | null;
  };
  /** The authenticator application of a user. */
  gatewright_totp: {
    user_id: number;
    /** Sealed. */
    secret: string;
    /** Number of the period whose code was taken last: no code is taken twice. */
    last_step: number;
    created_at: string;
    last_used_at: string | null;
  };
  gatewright_passkeys: {
    id: Generated<number>;
    user_id: number;
    name: string;
    /** Id that the authenticator gave it, base64url; unique. */
    credential: string;
    /** COSE key, base64url. */
    public_key: string;
    /** Of signatures, as the authenticator said last; zero for those that do not count. */
    counter: number;
    /** JSON array: how the authenticator is reached. */
    transports: string;
    created_at: string;
    last_used_at: string | null;
  };
  /** Codes that are left, as SHA-256 in lowercase hex. */
  gatewright_recovery_codes: { user_id: number; code_hash: string; created_at: string };
  /** Second factors that a session has begun to set up. */
  gatewright_factor_setups: {
    session_id: number;
    kind: 'totp' | 'passkey';
    /** The sealed secret of the application, or the challenge that the authenticator has to sign. */
    secret: string;
    expires_at: string;
    /** Of the user, when the password was verified. */
    security_stamp: number | null;
  };
  /** Passwords that were right, of users who have yet to prove the second factor. */
  gatewright_sign_in_tickets: {
    /** SHA-256 of the ticket, lowercase hex. */
    token_hash: string;
    user_id: number;
    /** Of the user, when the password was verified. */
    security_stamp: number;
    /** The challenge that a passkey has to sign; null where the user has none. */
    challenge: string | null;
    /** Responses that were looked at. */
    tries: Generated<number>;
    expires_at: string;
  };
  login_attempts: {
    /** Keyed hash of account and address: no account is stored in clear. */
    key: string;
    failures: number;
    pending: number;
    window_started: number;
    pending_until: number;
  };
}
