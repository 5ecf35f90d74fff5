-- 0001_core

create table users (
  id integer primary key autoincrement,
  username text not null,
  username_canonical text not null,
  email text not null,
  email_canonical text not null,
  name text not null,
  password_hash text not null,
  disabled integer not null default 0,
  created_at text not null,
  updated_at text not null
);

create unique index users_username_canonical_unique on users (username_canonical);

create unique index users_email_canonical_unique on users (email_canonical);

create table roles (
  name text primary key not null,
  built_in integer not null default 0,
  created_at text not null
);

create table user_roles (
  user_id integer not null references users (id) on delete cascade,
  role text not null references roles (name),
  primary key (user_id, role)
);

create index user_roles_role on user_roles (role);

create table api_keys (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  name text not null,
  key_hash text not null,
  key_prefix text not null,
  expires_at text,
  created_at text not null,
  last_used_at text
);

create unique index api_keys_key_hash_unique on api_keys (key_hash);

create index api_keys_user_id on api_keys (user_id, id);

create table permission_entries (
  model text not null,
  action text not null,
  primary key (model, action)
);

create table permissions (
  role text not null references roles (name) on delete cascade,
  model text not null,
  action text not null,
  created_at text not null,
  primary key (model, role, action)
);

create index permissions_role on permissions (role);

create table sessions (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  session_hash text not null,
  address text not null,
  user_agent text not null,
  created_at text not null,
  last_used_at text not null
);

create unique index sessions_session_hash_unique on sessions (session_hash);

create index sessions_user_id on sessions (user_id, id);

create table payments (
  id integer primary key autoincrement,
  app_id text not null,
  fingerprint text not null,
  body text not null,
  order_no text,
  amount text,
  currency text,
  status text not null,
  created_at text not null
);

create unique index payments_fingerprint_unique on payments (fingerprint);

create index payments_app_id on payments (app_id, id);

create table idempotency_keys (
  scope text primary key not null,
  fingerprint text not null,
  status integer not null,
  headers text not null,
  data text,
  created_at text not null
);

create index idempotency_keys_created_at on idempotency_keys (created_at);

create table application_usage (
  app_id text primary key not null,
  last_used_at text not null
);

create table audit (
  id integer primary key autoincrement,
  created_at text not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  action text not null,
  target_kind text not null,
  target_id text,
  target_name text,
  detail text not null,
  address text
);

create index audit_created_at on audit (created_at, id);

create table login_attempts (
  key text primary key not null,
  failures integer not null,
  pending integer not null,
  window_started integer not null,
  pending_until integer not null
);

create index login_attempts_window_started on login_attempts (window_started);

insert into roles (name, built_in, created_at)
values ('super_admin', 1, '2026-01-01T00:00:00.000Z');

insert into roles (name, built_in, created_at)
values ('admin', 1, '2026-01-01T00:00:00.000Z');

insert into roles (name, built_in, created_at)
values ('viewer', 1, '2026-01-01T00:00:00.000Z');

-- 0002_request_counts

create table request_counts (
  hour text not null,
  authentication text not null,
  status integer not null,
  requests integer not null,
  primary key (hour, authentication, status)
);

create table sign_in_failures (
  hour text primary key not null,
  failures integer not null
);

create index api_keys_expires_at on api_keys (expires_at) where expires_at is not null;

create index api_keys_unused on api_keys (id) where last_used_at is null;

-- 0003_must_change_password

alter table users add column must_change_password integer not null default 0;

-- 0004_security_events

create table gatewright_key_networks (
  key_id integer not null references api_keys (id) on delete cascade,
  network text not null,
  first_used_at text not null,
  primary key (key_id, network)
);

create index key_networks_first_used_at on gatewright_key_networks (first_used_at);

create table gatewright_seen_credentials (
  id integer primary key not null,
  serial integer not null,
  digest text not null,
  seen_at text not null
);

-- 0005_identity

create table gatewright_database (
  id text primary key not null,
  major integer not null,
  checked_at integer not null
);

insert into gatewright_database (id, major, checked_at)
values ('00000000000000000000000000000000', 0, 0);

-- 0006_nulled_references

-- 0007_security_stamp

alter table users add column security_stamp integer not null default 0;

-- 0008_jobs

create table gatewright_jobs (
  id integer primary key autoincrement,
  name text not null,
  key text,
  input text not null,
  state text not null,
  attempts integer not null default 0,
  available_at text,
  lease text,
  error text,
  created_at text not null,
  started_at text,
  failed_at text
);

create index gatewright_jobs_available on gatewright_jobs (available_at, id) where available_at is not null;

create unique index gatewright_jobs_key_unique on gatewright_jobs (name, key)
where state = 'waiting' and key is not null;

create index gatewright_jobs_state on gatewright_jobs (state, id);

create index gatewright_jobs_name on gatewright_jobs (name, id);

create table gatewright_schedules (
  name text primary key not null,
  pattern text not null,
  ticked_at text not null
);

-- 0009_imports

create table gatewright_imports (
  model text primary key not null,
  run text,
  steps integer not null
);

create table gatewright_import_places (
  id integer primary key autoincrement,
  model text not null,
  bytes integer not null,
  digest text not null,
  lines integer not null,
  created integer not null,
  updated integer not null,
  changed_at text not null
);

create index gatewright_import_places_model on gatewright_import_places (model, id);

-- 0010_history

create table gatewright_history (
  id integer primary key autoincrement,
  model text not null,
  record_id integer not null,
  version integer not null,
  action text not null,
  at text not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  actor_key integer,
  reason text,
  before text,
  after text
);

create index gatewright_history_record on gatewright_history (model, record_id, id);

-- 0011_events

create table "gatewright_events" (
  id integer primary key autoincrement,
  model text not null,
  record_id integer not null,
  version integer not null,
  action text not null,
  at text not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  actor_key integer,
  reason text,
  fields text not null,
  reach text
);

create table "gatewright_event_inbox" (
  id integer primary key autoincrement,
  model text not null,
  record_id integer not null,
  version integer not null,
  action text not null,
  at text not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  actor_key integer,
  reason text,
  fields text not null,
  reach text
);

-- 0012_trash

create table gatewright_trash (
  id integer primary key autoincrement,
  bundle text not null,
  kind text not null,
  model text not null,
  record_id integer not null,
  version integer,
  record text,
  field text,
  target_id integer,
  deleted_at text not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  actor_key integer,
  reason text
);

create index gatewright_trash_record on gatewright_trash (model, record_id) where kind <> 'reference';

create index gatewright_trash_deleted on gatewright_trash (model, deleted_at, id) where kind = 'first';

create index gatewright_trash_bundle on gatewright_trash (bundle, kind);

create index gatewright_trash_age on gatewright_trash (kind, deleted_at);

-- 0013_webhooks

create table gatewright_webhooks (
  id integer primary key autoincrement,
  url text not null,
  models text not null,
  actions text not null,
  user_id integer references users (id) on delete set null,
  disabled integer not null default 0,
  secret text not null,
  previous_secret text,
  previous_until text,
  cursor integer not null,
  failures integer not null default 0,
  lane text,
  lane_until text,
  disabled_reason text,
  disabled_at text,
  created_at text not null,
  updated_at text not null
);

create index gatewright_webhooks_user_id on gatewright_webhooks (user_id);

create table gatewright_deliveries (
  id integer primary key autoincrement,
  webhook_id integer not null,
  event integer not null,
  model text not null,
  record_id integer not null,
  action text not null,
  version integer not null,
  message_id text not null,
  state text not null,
  attempts integer not null default 0,
  next_at text,
  claim text,
  request_headers text,
  request_body text,
  response_status integer,
  response_headers text,
  response_body text,
  duration integer,
  error text,
  created_at text not null,
  attempted_at text,
  ended_at text
);

create unique index gatewright_deliveries_event_unique on gatewright_deliveries (webhook_id, event);

create index gatewright_deliveries_webhook on gatewright_deliveries (webhook_id, id);

create index gatewright_deliveries_state on gatewright_deliveries (webhook_id, state, id);

create index gatewright_deliveries_due on gatewright_deliveries (webhook_id, next_at, id) where next_at is not null;

create index gatewright_deliveries_waiting on gatewright_deliveries (webhook_id, model, record_id, id)
where state = 'waiting';

create index gatewright_deliveries_record on gatewright_deliveries (model, record_id);

create index gatewright_deliveries_created_at on gatewright_deliveries (created_at);

-- 0015_invitations

create table gatewright_invitations (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  token_hash text not null,
  created_at text not null,
  expires_at text not null,
  used_at text,
  ended_at text
);

create unique index gatewright_invitations_token_hash_unique on gatewright_invitations (token_hash);

create unique index gatewright_invitations_open_unique on gatewright_invitations (user_id)
where ended_at is null;

create index gatewright_invitations_user_id on gatewright_invitations (user_id);

create index gatewright_invitations_expires_at on gatewright_invitations (expires_at);

-- 0016_refusals

create table gatewright_refusals (
  id integer primary key autoincrement,
  fingerprint text not null,
  refused_at text not null,
  first_at text not null,
  refusals integer not null,
  caller_kind text not null,
  caller_id text not null,
  caller_name text not null,
  method text not null,
  path text not null,
  status integer not null,
  code integer not null,
  address text not null
);

create unique index gatewright_refusals_fingerprint_unique on gatewright_refusals (fingerprint);

create index gatewright_refusals_refused_at on gatewright_refusals (refused_at);

-- 0017_saved_views

create table gatewright_views (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  resource text not null,
  name text not null,
  query text not null,
  created_at text not null,
  updated_at text not null
);

create unique index gatewright_views_name_unique on gatewright_views (user_id, resource, name);

-- 0018_key_usage

create table gatewright_key_usage (
  key_id integer not null references api_keys (id) on delete cascade,
  day text not null,
  requests integer not null,
  refused integer not null,
  address text not null,
  primary key (key_id, day)
);

create index gatewright_key_usage_day on gatewright_key_usage (day);

create index api_keys_idle on api_keys (coalesce(last_used_at, created_at), expires_at);

drop index if exists api_keys_unused;

create index audit_failed_sign_ins on audit (created_at, id)
where action in ('sign_in.failed', 'sign_in.locked');

-- 0019_second_factors

alter table users add column second_factor integer not null default 0;

alter table sessions add column second_factor integer not null default 0;

create table gatewright_totp (
  user_id integer primary key references users (id) on delete cascade,
  secret text not null,
  last_step integer not null,
  created_at text not null,
  last_used_at text
);

create table gatewright_passkeys (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  name text not null,
  credential text not null,
  public_key text not null,
  counter integer not null,
  transports text not null,
  created_at text not null,
  last_used_at text
);

create unique index gatewright_passkeys_credential_unique on gatewright_passkeys (credential);

create index gatewright_passkeys_user_id on gatewright_passkeys (user_id);

create table gatewright_recovery_codes (
  user_id integer not null references users (id) on delete cascade,
  code_hash text not null,
  created_at text not null,
  primary key (user_id, code_hash)
);

create table gatewright_factor_setups (
  session_id integer not null references sessions (id) on delete cascade,
  kind text not null,
  secret text not null,
  expires_at text not null,
  primary key (session_id, kind)
);

create table gatewright_sign_in_tickets (
  token_hash text primary key not null,
  user_id integer not null references users (id) on delete cascade,
  security_stamp integer not null,
  challenge text,
  tries integer not null default 0,
  expires_at text not null
);

create index gatewright_sign_in_tickets_user_id on gatewright_sign_in_tickets (user_id);

create index gatewright_sign_in_tickets_expires_at on gatewright_sign_in_tickets (expires_at);

-- 0020_revoked_keys

create table gatewright_revoked_keys (
  key_id integer primary key not null,
  key_hash text not null,
  name text not null,
  user_id integer not null,
  username text not null,
  revoked_at text not null,
  actor_kind text,
  actor_id text,
  actor_name text
);

create index gatewright_revoked_keys_key_hash on gatewright_revoked_keys (key_hash);

create index gatewright_revoked_keys_revoked_at on gatewright_revoked_keys (revoked_at);

drop trigger if exists gatewright_key_revoked;

create trigger gatewright_key_revoked before delete on api_keys
begin
  insert into gatewright_revoked_keys (key_id, key_hash, name, user_id, username, revoked_at)
  values (old.id, old.key_hash, old.name, old.user_id,
    coalesce((select username from users where id = old.user_id), ''), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  on conflict (key_id) do nothing;
end;

drop trigger if exists gatewright_user_keys_revoked;

create trigger gatewright_user_keys_revoked before delete on users
begin
  delete from api_keys where user_id = old.id;
end;

-- 0022_kept_answers

alter table idempotency_keys add column model text;

-- 0024_makers

alter table gatewright_invitations add column made_by integer references users (id) on delete cascade;

create index gatewright_invitations_made_by on gatewright_invitations (made_by);

alter table api_keys add column created_by integer;

create index api_keys_created_by on api_keys (created_by, id) where created_by is not null;

alter table gatewright_webhooks add column created_by integer;

alter table users add column password_set_by integer;

update "gatewright_invitations" set "made_by" = cast(made.actor_id as integer)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'user' and action = 'invitation.create' group by target_id)) made
where cast("gatewright_invitations"."user_id" as text) = made.target_id
and ended_at is null and exists (select 1 from users u where cast("u"."id" as text) = made.actor_id);

update "api_keys" set "created_by" = cast(made.actor_id as integer)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'api_key' and action = 'key.create' group by target_id)) made
where cast("api_keys"."id" as text) = made.target_id
and cast("user_id" as text) <> made.actor_id;

update "gatewright_webhooks" set "created_by" = cast(made.actor_id as integer)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'webhook' and action = 'webhook.create' group by target_id)) made
where cast("gatewright_webhooks"."id" as text) = made.target_id;

update "users" set "password_set_by" = cast(made.actor_id as integer)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'user' and (action in ('user.create', 'user.password', 'invitation.use')
  or action = 'user.update' and cast("detail" as text) like '%"password"%') group by target_id)) made
where cast("users"."id" as text) = made.target_id and cast("users"."id" as text) <> made.actor_id;

-- 0026_clock

alter table gatewright_database add column clock_at integer;

-- 0032_backup_time

alter table gatewright_database add column backed_up_at text;

-- 0033_revoked_tokens

alter table users add column last_token_expiry integer;

alter table users add column revoked_token_expiry integer;

create table gatewright_revoked_tokens (
  user_id integer not null references users (id) on delete cascade,
  expiry integer not null,
  primary key (user_id, expiry)
);

create index gatewright_revoked_tokens_expiry on gatewright_revoked_tokens (expiry);

-- 0034_key_scopes

alter table api_keys add column scopes text;

alter table api_keys add column networks text;

-- 0040_paused_schedules

alter table gatewright_schedules add column paused_at text;

-- 0041_route_times

create table gatewright_route_times (
  hour text not null,
  method text not null,
  route text not null,
  bound integer not null,
  requests integer not null,
  refused integer not null,
  failed integer not null,
  primary key (hour, method, route, bound)
);

create table gatewright_key_calls (
  key_id integer not null references api_keys (id) on delete cascade,
  method text not null,
  route text not null,
  status integer not null,
  requests integer not null,
  last_at text not null,
  primary key (key_id, method, route, status)
);

-- 0042_key_rotation

alter table api_keys add column rotated_at text;

alter table api_keys add column secret_used_at text;

create table gatewright_former_secrets (
  key_hash text primary key not null,
  key_id integer not null,
  key_prefix text not null,
  replaced_at text not null,
  ends_at text not null,
  last_used_at text
);

create index gatewright_former_secrets_key_id on gatewright_former_secrets (key_id, ends_at);

create index gatewright_former_secrets_ends_at on gatewright_former_secrets (ends_at);

-- 0043_service_accounts

alter table users add column kind text not null default 'person'
check (kind = 'person' or (kind = 'service' and password_hash = ''));

alter table users add column owner_id integer references users (id) on delete set null;

create index users_owner_id on users (owner_id) where owner_id is not null;

create index users_kind_service on users (id) where kind = 'service';

alter table api_keys add column notified_expires_at text;

-- 0045_limits

alter table api_keys add column "limit" text;

alter table api_keys add column quota integer;

create table gatewright_buckets (
  name text not null primary key,
  full_at integer not null,
  granted integer not null,
  owed integer not null,
  size integer not null,
  refills integer not null,
  step integer not null,
  expires_at integer not null
);

create index gatewright_buckets_expires_at on gatewright_buckets (expires_at);

-- 0047_nonces

create table gatewright_nonces (
  app_id text not null,
  nonce text not null,
  expiry integer not null,
  primary key (app_id, nonce)
);

create index gatewright_nonces_expiry on gatewright_nonces (expiry);

-- 0049_key_uses

create table gatewright_key_uses (
  key_id integer not null references api_keys (id) on delete cascade,
  day text not null,
  scope text not null,
  requests integer not null,
  primary key (key_id, day, scope)
);

create index gatewright_key_uses_day on gatewright_key_uses (day);

-- 0050_counts

create table gatewright_counts (
  model text not null,
  field text not null,
  per text not null,
  target_id integer not null,
  period integer not null,
  last integer not null,
  primary key (model, field, per, target_id, period)
);

-- 0051_system_invitations

alter table gatewright_invitations add column by_system integer not null default 0;

-- 0052_account_links

create table gatewright_account_links (
  id integer primary key autoincrement,
  purpose text not null,
  account text not null,
  canonical text not null,
  user_id integer references users (id) on delete cascade,
  registration text,
  locale text not null,
  address text,
  token_hash text,
  created_at text not null,
  expires_at text
);

create unique index gatewright_account_links_token_hash_unique on gatewright_account_links (token_hash);

create index gatewright_account_links_user_id on gatewright_account_links (user_id);

create index gatewright_account_links_canonical on gatewright_account_links (canonical);

create index gatewright_account_links_created_at on gatewright_account_links (created_at);

-- 0053_linked_accounts

create table gatewright_linked_accounts (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  provider text not null,
  issuer text not null,
  subject text not null,
  session_id text,
  created_at text not null,
  last_used_at text not null
);

create unique index gatewright_linked_accounts_subject_unique
on gatewright_linked_accounts (issuer, subject);

create index gatewright_linked_accounts_user_id on gatewright_linked_accounts (user_id);

create table gatewright_sign_in_codes (
  code_hash text primary key,
  user_id integer not null references users (id) on delete cascade,
  security_stamp integer not null,
  second_factor integer not null,
  expires_at text not null
);

create index gatewright_sign_in_codes_user_id on gatewright_sign_in_codes (user_id);

create index gatewright_sign_in_codes_expires_at on gatewright_sign_in_codes (expires_at);

-- 0054_claim_values

alter table gatewright_linked_accounts add column claim_values text;

-- 0055_shared_views

alter table gatewright_views add column shared integer not null default 0;

-- 0056_managed_webhooks

alter table gatewright_webhooks add column managed integer not null default 0;

create index gatewright_webhooks_managed on gatewright_webhooks (user_id, id) where managed = 1;

-- 0057_fills

create table gatewright_fills (
  table_name text not null primary key,
  below integer not null
);
