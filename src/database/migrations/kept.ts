/** The part of an application's models that a column of the service's own tables keeps. */
export type KeptKind =
  /** Name of the model that the row is about: the row goes with the model. */
  | 'model'
  /** JSON array of names of models. */
  | 'models'
  /** The list of a table's records, as the administration area calls it: the row goes with the table. */
  | 'list'
  /** JSON: filter, sort and columns of such a list. */
  | 'query'
  /** Name of a column of the model's table: the row goes with it. */
  | 'field'
  /** JSON array of names of such columns. */
  | 'fields'
  /** JSON object: values of a record by column. */
  | 'values'
  /**
   * JSON object: values by path, of a record that was deleted and of those that it referred to; of every other write two
   * such objects, `before` and `after`.
   */
  | 'paths'
  /** Text that was sent for a record, or came back: as it was when a column is renamed, and gone when one is dropped. */
  | 'sent'
  /** JSON text that a request was answered, with related records in it: the same, for columns of every model. */
  | 'answer'
  /** The application's own: only it knows what is in there. */
  | 'application'
  /** A record of an action, under the names of then. It holds no values, and never changes. */
  | 'log'
  /** Declarations of tables in migrations: `register.ts` keeps them. */
  | 'register'
  /** Nothing of the kind. */
  | 'other';

type KeptColumns = Readonly<Partial<Record<KeptKind, readonly string[]>>>;

const actor = ['actor_kind', 'actor_id', 'actor_name', 'actor_key'];
const version = ['id', 'record_id', 'version', 'action', 'at', ...actor];
const events: KeptColumns = {
  model: ['model'],
  fields: ['fields'],
  paths: ['reach'],
  log: ['reason'],
  other: version,
};
const other = (...columns: readonly string[]): KeptColumns => ({ other: columns });

/**
 * Every column of the service's own tables. By this table migrations have what is kept follow a column or a table that is
 * renamed or dropped (`follow.ts`); `tests/contract/kept.test.ts` fails where a column is missing here, or keeps something
 * else than is said.
 */
export const keptColumns: Readonly<Record<string, KeptColumns>> = {
  permission_entries: { model: ['model'], other: ['action'] },
  permissions: { model: ['model'], other: ['role', 'action', 'created_at'] },
  gatewright_history: { model: ['model'], values: ['before', 'after'], log: ['reason'], other: version },
  gatewright_events: events,
  gatewright_event_inbox: events,
  gatewright_trash: {
    model: ['model'],
    values: ['record'],
    field: ['field'],
    log: ['reason'],
    other: ['id', 'bundle', 'kind', 'record_id', 'version', 'target_id', 'deleted_at', ...actor],
  },
  gatewright_counts: { model: ['model'], field: ['field', 'per'], other: ['target_id', 'period', 'last'] },
  gatewright_webhooks: {
    models: ['models'],
    other: [
      ...[
        'id',
        'url',
        'actions',
        'user_id',
        'disabled',
        'secret',
        'previous_secret',
        'previous_until',
        'cursor',
      ],
      ...['failures', 'lane', 'lane_until', 'disabled_reason', 'disabled_at', 'created_at', 'updated_at'],
      ...['created_by', 'managed', 'failed_delivery'],
    ],
  },
  gatewright_deliveries: {
    model: ['model'],
    sent: ['request_body', 'response_headers', 'response_body'],
    other: [
      ...['id', 'webhook_id', 'event', 'record_id', 'action', 'version', 'message_id', 'state', 'attempts'],
      ...['next_at', 'claim', 'request_headers', 'response_status', 'duration', 'error', 'created_at'],
      ...['attempted_at', 'ended_at'],
    ],
  },
  gatewright_views: {
    list: ['resource'],
    query: ['query'],
    other: ['id', 'user_id', 'name', 'shared', 'created_at', 'updated_at'],
  },
  gatewright_imports: { model: ['model'], other: ['run', 'steps'] },
  gatewright_import_places: {
    model: ['model'],
    other: ['id', 'bytes', 'digest', 'lines', 'created', 'updated', 'changed_at'],
  },
  idempotency_keys: {
    model: ['model'],
    answer: ['data'],
    other: ['scope', 'fingerprint', 'status', 'headers', 'created_at'],
  },
  gatewright_jobs: {
    application: ['input', 'error'],
    other: [
      ...['id', 'name', 'key', 'state', 'attempts', 'available_at', 'lease', 'created_at', 'started_at'],
      'failed_at',
    ],
  },
  audit: {
    log: ['target_kind', 'target_id', 'target_name', 'detail'],
    other: ['id', 'created_at', 'actor_kind', 'actor_id', 'actor_name', 'action', 'address'],
  },
  gatewright_refusals: {
    log: ['path'],
    other: [
      ...[
        'id',
        'fingerprint',
        'refused_at',
        'first_at',
        'refusals',
        'caller_kind',
        'caller_id',
        'caller_name',
      ],
      ...['method', 'status', 'code', 'address'],
    ],
  },
  gatewright_fills: other('table_name', 'below'),
  gatewright_tables: { register: ['name', 'model'] },
  gatewright_columns: { register: ['table_name', 'column_name', 'kind', 'options'] },

  users: other(
    ...[
      'id',
      'username',
      'username_canonical',
      'email',
      'email_canonical',
      'name',
      'password_hash',
      'disabled',
    ],
    ...['must_change_password', 'security_stamp', 'second_factor', 'created_at', 'updated_at'],
    ...['password_set_by', 'last_token_expiry', 'revoked_token_expiry', 'kind', 'owner_id'],
  ),
  gatewright_revoked_tokens: other('user_id', 'expiry'),
  gatewright_buckets: other(
    ...['name', 'full_at', 'granted', 'owed', 'size', 'refills', 'step', 'expires_at'],
  ),
  gatewright_nonces: other('app_id', 'nonce', 'expiry'),
  roles: other('name', 'built_in', 'created_at'),
  user_roles: other('user_id', 'role'),
  api_keys: other(
    ...['id', 'user_id', 'name', 'key_hash', 'key_prefix', 'expires_at', 'created_at', 'last_used_at'],
    ...['created_by', 'scopes', 'networks', 'rotated_at', 'secret_used_at', 'notified_expires_at'],
    ...['limit', 'quota'],
  ),
  sessions: other(
    ...[
      'id',
      'user_id',
      'session_hash',
      'address',
      'user_agent',
      'second_factor',
      'created_at',
      'last_used_at',
    ],
  ),
  payments: other(
    ...['id', 'app_id', 'fingerprint', 'body', 'order_no', 'amount', 'currency', 'status', 'created_at'],
  ),
  application_usage: other('app_id', 'last_used_at'),
  login_attempts: other('key', 'failures', 'pending', 'window_started', 'pending_until'),
  request_counts: other('hour', 'authentication', 'status', 'requests'),
  sign_in_failures: other('hour', 'failures'),
  gatewright_key_usage: other('key_id', 'day', 'requests', 'refused', 'address'),
  gatewright_key_calls: {
    log: ['route'],
    other: ['key_id', 'method', 'status', 'requests', 'last_at'],
  },
  gatewright_key_uses: { log: ['scope'], other: ['key_id', 'day', 'requests'] },
  gatewright_route_times: {
    log: ['route'],
    other: ['hour', 'method', 'bound', 'requests', 'refused', 'failed'],
  },
  gatewright_key_networks: other('key_id', 'network', 'first_used_at'),
  gatewright_seen_credentials: other('id', 'serial', 'digest', 'seen_at'),
  gatewright_database: other('id', 'major', 'checked_at', 'backed_up_at', 'clock_at'),
  gatewright_schedules: other('name', 'pattern', 'ticked_at', 'paused_at'),
  gatewright_revoked_keys: other(
    ...['key_id', 'key_hash', 'name', 'user_id', 'username', 'revoked_at', 'actor_kind', 'actor_id'],
    'actor_name',
  ),
  gatewright_former_secrets: other(
    ...['key_hash', 'key_id', 'key_prefix', 'replaced_at', 'ends_at', 'last_used_at'],
  ),
  gatewright_invitations: other(
    ...['id', 'user_id', 'token_hash', 'created_at', 'expires_at', 'used_at', 'ended_at', 'made_by'],
    ...['by_system', 'security_stamp'],
  ),
  gatewright_account_links: other(
    ...['id', 'purpose', 'account', 'canonical', 'user_id', 'registration', 'locale', 'address'],
    ...['token_hash', 'created_at', 'expires_at', 'security_stamp', 'requester'],
  ),
  gatewright_linked_accounts: other(
    ...['id', 'user_id', 'provider', 'issuer', 'subject', 'session_id', 'created_at', 'last_used_at'],
    ...['claim_values', 'email_taken'],
  ),
  gatewright_sign_in_codes: other('code_hash', 'user_id', 'security_stamp', 'second_factor', 'expires_at'),
  gatewright_totp: other('user_id', 'secret', 'last_step', 'created_at', 'last_used_at'),
  gatewright_passkeys: other(
    ...['id', 'user_id', 'name', 'credential', 'public_key', 'counter', 'transports', 'created_at'],
    'last_used_at',
  ),
  gatewright_recovery_codes: other('user_id', 'code_hash', 'created_at'),
  gatewright_factor_setups: other('session_id', 'kind', 'secret', 'expires_at', 'security_stamp'),
  gatewright_sign_in_tickets: other(
    ...['token_hash', 'user_id', 'security_stamp', 'challenge', 'tries', 'expires_at'],
  ),
  gatewright_migrations: other('name', 'timestamp'),
  migrations: other('name', 'timestamp'),
};
