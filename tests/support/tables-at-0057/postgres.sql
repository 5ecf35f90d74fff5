-- 0001_core

create table users (
  id bigint generated always as identity primary key,
  username text collate "C" not null,
  username_canonical text collate "C" not null,
  email text collate "C" not null,
  email_canonical text collate "C" not null,
  name text collate "C" not null,
  password_hash text collate "C" not null,
  disabled boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create unique index users_username_canonical_unique on users (username_canonical);

create unique index users_email_canonical_unique on users (email_canonical);

create table roles (
  name text collate "C" primary key not null,
  built_in boolean not null default false,
  created_at timestamptz(3) not null
);

create table user_roles (
  user_id bigint not null references users (id) on delete cascade,
  role text collate "C" not null references roles (name),
  primary key (user_id, role)
);

create index user_roles_role on user_roles (role);

create table api_keys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  name text collate "C" not null,
  key_hash text collate "C" not null,
  key_prefix text collate "C" not null,
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);

create unique index api_keys_key_hash_unique on api_keys (key_hash);

create index api_keys_user_id on api_keys (user_id, id);

create table permission_entries (
  model text collate "C" not null,
  action text collate "C" not null,
  primary key (model, action)
);

create table permissions (
  role text collate "C" not null references roles (name) on delete cascade,
  model text collate "C" not null,
  action text collate "C" not null,
  created_at timestamptz(3) not null,
  primary key (model, role, action)
);

create index permissions_role on permissions (role);

create table sessions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  session_hash text collate "C" not null,
  address text collate "C" not null,
  user_agent text collate "C" not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null
);

create unique index sessions_session_hash_unique on sessions (session_hash);

create index sessions_user_id on sessions (user_id, id);

create table payments (
  id bigint generated always as identity primary key,
  app_id text collate "C" not null,
  fingerprint text collate "C" not null,
  body json not null,
  order_no json,
  amount json,
  currency json,
  status text collate "C" not null,
  created_at timestamptz(3) not null
);

create unique index payments_fingerprint_unique on payments (fingerprint);

create index payments_app_id on payments (app_id, id);

create table idempotency_keys (
  scope text collate "C" primary key not null,
  fingerprint text collate "C" not null,
  status bigint not null,
  headers text collate "C" not null,
  data text collate "C",
  created_at timestamptz(3) not null
);

create index idempotency_keys_created_at on idempotency_keys (created_at);

create table application_usage (
  app_id text collate "C" primary key not null,
  last_used_at timestamptz(3) not null
);

create table audit (
  id bigint generated always as identity primary key,
  created_at timestamptz(3) not null,
  actor_kind text collate "C" not null,
  actor_id text collate "C",
  actor_name text collate "C",
  action text collate "C" not null,
  target_kind text collate "C" not null,
  target_id text collate "C",
  target_name text collate "C",
  detail json not null,
  address text collate "C"
);

create index audit_created_at on audit (created_at, id);

create table login_attempts (
  key text collate "C" primary key not null,
  failures bigint not null,
  pending bigint not null,
  window_started bigint not null,
  pending_until bigint not null
);

create index login_attempts_window_started on login_attempts (window_started);

insert into roles (name, built_in, created_at)
values ('super_admin', true, '2026-01-01T00:00:00.000Z');

insert into roles (name, built_in, created_at)
values ('admin', true, '2026-01-01T00:00:00.000Z');

insert into roles (name, built_in, created_at)
values ('viewer', true, '2026-01-01T00:00:00.000Z');

-- 0002_request_counts

create table request_counts (
  hour text collate "C" not null,
  authentication text collate "C" not null,
  status bigint not null,
  requests bigint not null,
  primary key (hour, authentication, status)
);

create table sign_in_failures (
  hour text collate "C" primary key not null,
  failures bigint not null
);

create index api_keys_expires_at on api_keys (expires_at) where expires_at is not null;

create index api_keys_unused on api_keys (id) where last_used_at is null;

-- 0003_must_change_password

alter table users add column must_change_password boolean not null default false;

-- 0004_security_events

create table gatewright_key_networks (
  key_id bigint not null references api_keys (id) on delete cascade,
  network text collate "C" not null,
  first_used_at timestamptz(3) not null,
  primary key (key_id, network)
);

create index key_networks_first_used_at on gatewright_key_networks (first_used_at);

create table gatewright_seen_credentials (
  id bigint primary key not null,
  serial bigint not null,
  digest text collate "C" not null,
  seen_at timestamptz(3) not null
);

-- 0005_identity

create table gatewright_database (
  id text collate "C" primary key not null,
  major bigint not null,
  checked_at bigint not null
);

insert into gatewright_database (id, major, checked_at)
values ('00000000000000000000000000000000', 0, 0);

-- 0006_nulled_references

-- 0007_security_stamp

alter table users add column security_stamp bigint not null default 0;

-- 0008_jobs

create table gatewright_jobs (
  id bigint generated always as identity primary key,
  name text collate "C" not null,
  key text collate "C",
  input json not null,
  state text collate "C" not null,
  attempts bigint not null default 0,
  available_at timestamptz(3),
  lease text collate "C",
  error text collate "C",
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  failed_at timestamptz(3)
);

create index gatewright_jobs_available on gatewright_jobs (available_at, id) where available_at is not null;

create unique index gatewright_jobs_key_unique on gatewright_jobs (name, key)
where state = 'waiting' and key is not null;

create index gatewright_jobs_state on gatewright_jobs (state, id);

create index gatewright_jobs_name on gatewright_jobs (name, id);

create table gatewright_schedules (
  name text collate "C" primary key not null,
  pattern text collate "C" not null,
  ticked_at timestamptz(3) not null
);

-- 0009_imports

create table gatewright_imports (
  model text collate "C" primary key not null,
  run text collate "C",
  steps bigint not null
);

create table gatewright_import_places (
  id bigint generated always as identity primary key,
  model text collate "C" not null,
  bytes bigint not null,
  digest text collate "C" not null,
  lines bigint not null,
  created bigint not null,
  updated bigint not null,
  changed_at timestamptz(3) not null
);

create index gatewright_import_places_model on gatewright_import_places (model, id);

-- 0010_history

create table gatewright_history (
  id bigint generated always as identity primary key,
  model text collate "C" not null,
  record_id bigint not null,
  version bigint not null,
  action text collate "C" not null,
  at timestamptz(3) not null,
  actor_kind text collate "C" not null,
  actor_id text collate "C",
  actor_name text collate "C",
  actor_key bigint,
  reason text collate "C",
  before json,
  after json
);

create index gatewright_history_record on gatewright_history (model, record_id, id);

-- 0011_events

create table "gatewright_events" (
  id bigint generated always as identity primary key,
  model text collate "C" not null,
  record_id bigint not null,
  version bigint not null,
  action text collate "C" not null,
  at timestamptz(3) not null,
  actor_kind text collate "C" not null,
  actor_id text collate "C",
  actor_name text collate "C",
  actor_key bigint,
  reason text collate "C",
  fields json not null,
  reach json
);

create table "gatewright_event_inbox" (
  id bigint generated always as identity primary key,
  model text collate "C" not null,
  record_id bigint not null,
  version bigint not null,
  action text collate "C" not null,
  at timestamptz(3) not null,
  actor_kind text collate "C" not null,
  actor_id text collate "C",
  actor_name text collate "C",
  actor_key bigint,
  reason text collate "C",
  fields json not null,
  reach json
);

-- 0012_trash

create table gatewright_trash (
  id bigint generated always as identity primary key,
  bundle text collate "C" not null,
  kind text collate "C" not null,
  model text collate "C" not null,
  record_id bigint not null,
  version bigint,
  record json,
  field text collate "C",
  target_id bigint,
  deleted_at timestamptz(3) not null,
  actor_kind text collate "C" not null,
  actor_id text collate "C",
  actor_name text collate "C",
  actor_key bigint,
  reason text collate "C"
);

create index gatewright_trash_record on gatewright_trash (model, record_id) where kind <> 'reference';

create index gatewright_trash_deleted on gatewright_trash (model, deleted_at, id) where kind = 'first';

create index gatewright_trash_bundle on gatewright_trash (bundle, kind);

create index gatewright_trash_age on gatewright_trash (kind, deleted_at);

-- 0013_webhooks

create table gatewright_webhooks (
  id bigint generated always as identity primary key,
  url text collate "C" not null,
  models json not null,
  actions json not null,
  user_id bigint references users (id) on delete set null,
  disabled boolean not null default false,
  secret text collate "C" not null,
  previous_secret text collate "C",
  previous_until timestamptz(3),
  cursor bigint not null,
  failures bigint not null default 0,
  lane text collate "C",
  lane_until timestamptz(3),
  disabled_reason text collate "C",
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index gatewright_webhooks_user_id on gatewright_webhooks (user_id);

create table gatewright_deliveries (
  id bigint generated always as identity primary key,
  webhook_id bigint not null,
  event bigint not null,
  model text collate "C" not null,
  record_id bigint not null,
  action text collate "C" not null,
  version bigint not null,
  message_id text collate "C" not null,
  state text collate "C" not null,
  attempts bigint not null default 0,
  next_at timestamptz(3),
  claim text collate "C",
  request_headers json,
  request_body text collate "C",
  response_status bigint,
  response_headers json,
  response_body text collate "C",
  duration bigint,
  error text collate "C",
  created_at timestamptz(3) not null,
  attempted_at timestamptz(3),
  ended_at timestamptz(3)
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
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  token_hash text collate "C" not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  ended_at timestamptz(3)
);

create unique index gatewright_invitations_token_hash_unique on gatewright_invitations (token_hash);

create unique index gatewright_invitations_open_unique on gatewright_invitations (user_id)
where ended_at is null;

create index gatewright_invitations_user_id on gatewright_invitations (user_id);

create index gatewright_invitations_expires_at on gatewright_invitations (expires_at);

-- 0016_refusals

create table gatewright_refusals (
  id bigint generated always as identity primary key,
  fingerprint text collate "C" not null,
  refused_at timestamptz(3) not null,
  first_at timestamptz(3) not null,
  refusals bigint not null,
  caller_kind text collate "C" not null,
  caller_id text collate "C" not null,
  caller_name text collate "C" not null,
  method text collate "C" not null,
  path text collate "C" not null,
  status bigint not null,
  code bigint not null,
  address text collate "C" not null
);

create unique index gatewright_refusals_fingerprint_unique on gatewright_refusals (fingerprint);

create index gatewright_refusals_refused_at on gatewright_refusals (refused_at);

-- 0017_saved_views

create table gatewright_views (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  resource text collate "C" not null,
  name text collate "C" not null,
  query json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create unique index gatewright_views_name_unique on gatewright_views (user_id, resource, name);

-- 0018_key_usage

create table gatewright_key_usage (
  key_id bigint not null references api_keys (id) on delete cascade,
  day text collate "C" not null,
  requests bigint not null,
  refused bigint not null,
  address text collate "C" not null,
  primary key (key_id, day)
);

create index gatewright_key_usage_day on gatewright_key_usage (day);

create index api_keys_idle on api_keys (coalesce(last_used_at, created_at), expires_at);

drop index if exists api_keys_unused;

create index audit_failed_sign_ins on audit (created_at, id)
where action in ('sign_in.failed', 'sign_in.locked');

-- 0019_second_factors

alter table users add column second_factor boolean not null default false;

alter table sessions add column second_factor boolean not null default false;

create table gatewright_totp (
  user_id bigint primary key references users (id) on delete cascade,
  secret text collate "C" not null,
  last_step bigint not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);

create table gatewright_passkeys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  name text collate "C" not null,
  credential text collate "C" not null,
  public_key text collate "C" not null,
  counter bigint not null,
  transports text collate "C" not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);

create unique index gatewright_passkeys_credential_unique on gatewright_passkeys (credential);

create index gatewright_passkeys_user_id on gatewright_passkeys (user_id);

create table gatewright_recovery_codes (
  user_id bigint not null references users (id) on delete cascade,
  code_hash text collate "C" not null,
  created_at timestamptz(3) not null,
  primary key (user_id, code_hash)
);

create table gatewright_factor_setups (
  session_id bigint not null references sessions (id) on delete cascade,
  kind text collate "C" not null,
  secret text collate "C" not null,
  expires_at timestamptz(3) not null,
  primary key (session_id, kind)
);

create table gatewright_sign_in_tickets (
  token_hash text collate "C" primary key not null,
  user_id bigint not null references users (id) on delete cascade,
  security_stamp bigint not null,
  challenge text collate "C",
  tries bigint not null default 0,
  expires_at timestamptz(3) not null
);

create index gatewright_sign_in_tickets_user_id on gatewright_sign_in_tickets (user_id);

create index gatewright_sign_in_tickets_expires_at on gatewright_sign_in_tickets (expires_at);

-- 0020_revoked_keys

create table gatewright_revoked_keys (
  key_id bigint primary key not null,
  key_hash text collate "C" not null,
  name text collate "C" not null,
  user_id bigint not null,
  username text collate "C" not null,
  revoked_at timestamptz(3) not null,
  actor_kind text collate "C",
  actor_id text collate "C",
  actor_name text collate "C"
);

create index gatewright_revoked_keys_key_hash on gatewright_revoked_keys (key_hash);

create index gatewright_revoked_keys_revoked_at on gatewright_revoked_keys (revoked_at);

create or replace function gatewright_key_revoked() returns trigger language plpgsql as $$
begin
  insert into gatewright_revoked_keys (key_id, key_hash, name, user_id, username, revoked_at)
  values (old.id, old.key_hash, old.name, old.user_id,
    coalesce((select username from users where id = old.user_id), ''), clock_timestamp())
  on conflict (key_id) do nothing;
  return old;
end
$$;

drop trigger if exists gatewright_key_revoked on api_keys;

create trigger gatewright_key_revoked before delete on api_keys for each row
execute function gatewright_key_revoked();

create or replace function gatewright_user_keys_revoked() returns trigger language plpgsql as $$
begin
  delete from api_keys where user_id = old.id;
  return old;
end
$$;

drop trigger if exists gatewright_user_keys_revoked on users;

create trigger gatewright_user_keys_revoked before delete on users for each row
execute function gatewright_user_keys_revoked();

-- 0022_kept_answers

alter table idempotency_keys add column model text collate "C";

-- 0024_makers

alter table gatewright_invitations add column made_by bigint references users (id) on delete cascade;

create index gatewright_invitations_made_by on gatewright_invitations (made_by);

alter table api_keys add column created_by bigint;

create index api_keys_created_by on api_keys (created_by, id) where created_by is not null;

alter table gatewright_webhooks add column created_by bigint;

alter table users add column password_set_by bigint;

update "gatewright_invitations" set "made_by" = cast(made.actor_id as bigint)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'user' and action = 'invitation.create' group by target_id)) made
where cast("gatewright_invitations"."user_id" as text) = made.target_id
and ended_at is null and exists (select 1 from users u where cast("u"."id" as text) = made.actor_id);

update "api_keys" set "created_by" = cast(made.actor_id as bigint)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'api_key' and action = 'key.create' group by target_id)) made
where cast("api_keys"."id" as text) = made.target_id
and cast("user_id" as text) <> made.actor_id;

update "gatewright_webhooks" set "created_by" = cast(made.actor_id as bigint)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'webhook' and action = 'webhook.create' group by target_id)) made
where cast("gatewright_webhooks"."id" as text) = made.target_id;

update "users" set "password_set_by" = cast(made.actor_id as bigint)
from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
  select max(id) from audit where target_kind = 'user' and (action in ('user.create', 'user.password', 'invitation.use')
  or action = 'user.update' and cast("detail" as text) like '%"password"%') group by target_id)) made
where cast("users"."id" as text) = made.target_id and cast("users"."id" as text) <> made.actor_id;

-- 0026_clock

alter table gatewright_database add column clock_at bigint;

-- 0032_backup_time

alter table gatewright_database add column backed_up_at timestamptz(3);

-- 0033_revoked_tokens

alter table users add column last_token_expiry bigint;

alter table users add column revoked_token_expiry bigint;

create table gatewright_revoked_tokens (
  user_id bigint not null references users (id) on delete cascade,
  expiry bigint not null,
  primary key (user_id, expiry)
);

create index gatewright_revoked_tokens_expiry on gatewright_revoked_tokens (expiry);

-- 0034_key_scopes

alter table api_keys add column scopes json;

alter table api_keys add column networks json;

-- 0040_paused_schedules

alter table gatewright_schedules add column paused_at timestamptz(3);

-- 0041_route_times

create table gatewright_route_times (
  hour text collate "C" not null,
  method text collate "C" not null,
  route text collate "C" not null,
  bound bigint not null,
  requests bigint not null,
  refused bigint not null,
  failed bigint not null,
  primary key (hour, method, route, bound)
);

create table gatewright_key_calls (
  key_id bigint not null references api_keys (id) on delete cascade,
  method text collate "C" not null,
  route text collate "C" not null,
  status bigint not null,
  requests bigint not null,
  last_at timestamptz(3) not null,
  primary key (key_id, method, route, status)
);

-- 0042_key_rotation

alter table api_keys add column rotated_at timestamptz(3);

alter table api_keys add column secret_used_at timestamptz(3);

create table gatewright_former_secrets (
  key_hash text collate "C" primary key not null,
  key_id bigint not null,
  key_prefix text collate "C" not null,
  replaced_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);

create index gatewright_former_secrets_key_id on gatewright_former_secrets (key_id, ends_at);

create index gatewright_former_secrets_ends_at on gatewright_former_secrets (ends_at);

-- 0043_service_accounts

alter table users add column kind text collate "C" not null default 'person'
check (kind = 'person' or (kind = 'service' and password_hash = ''));

alter table users add column owner_id bigint references users (id) on delete set null;

create index users_owner_id on users (owner_id) where owner_id is not null;

create index users_kind_service on users (id) where kind = 'service';

alter table api_keys add column notified_expires_at timestamptz(3);

-- 0045_limits

alter table api_keys add column "limit" json;

alter table api_keys add column quota bigint;

create table gatewright_buckets (
  name text collate "C" not null primary key,
  full_at bigint not null,
  granted bigint not null,
  owed bigint not null,
  size bigint not null,
  refills bigint not null,
  step bigint not null,
  expires_at bigint not null
);

create index gatewright_buckets_expires_at on gatewright_buckets (expires_at);

-- 0047_nonces

create table gatewright_nonces (
  app_id text collate "C" not null,
  nonce text collate "C" not null,
  expiry bigint not null,
  primary key (app_id, nonce)
);

create index gatewright_nonces_expiry on gatewright_nonces (expiry);

-- 0049_key_uses

create table gatewright_key_uses (
  key_id bigint not null references api_keys (id) on delete cascade,
  day text collate "C" not null,
  scope text collate "C" not null,
  requests bigint not null,
  primary key (key_id, day, scope)
);

create index gatewright_key_uses_day on gatewright_key_uses (day);

-- 0050_counts

create table gatewright_counts (
  model text collate "C" not null,
  field text collate "C" not null,
  per text collate "C" not null,
  target_id bigint not null,
  period bigint not null,
  last bigint not null,
  primary key (model, field, per, target_id, period)
);

-- 0051_system_invitations

alter table gatewright_invitations add column by_system boolean not null default false;

-- 0052_account_links

create table gatewright_account_links (
  id bigint generated always as identity primary key,
  purpose text collate "C" not null,
  account text collate "C" not null,
  canonical text collate "C" not null,
  user_id bigint references users (id) on delete cascade,
  registration text collate "C",
  locale text collate "C" not null,
  address text collate "C",
  token_hash text collate "C",
  created_at timestamptz(3) not null,
  expires_at timestamptz(3)
);

create unique index gatewright_account_links_token_hash_unique on gatewright_account_links (token_hash);

create index gatewright_account_links_user_id on gatewright_account_links (user_id);

create index gatewright_account_links_canonical on gatewright_account_links (canonical);

create index gatewright_account_links_created_at on gatewright_account_links (created_at);

-- 0053_linked_accounts

create table gatewright_linked_accounts (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  provider text collate "C" not null,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  session_id text collate "C",
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null
);

create unique index gatewright_linked_accounts_subject_unique
on gatewright_linked_accounts (issuer, subject);

create index gatewright_linked_accounts_user_id on gatewright_linked_accounts (user_id);

create table gatewright_sign_in_codes (
  code_hash text collate "C" primary key,
  user_id bigint not null references users (id) on delete cascade,
  security_stamp bigint not null,
  second_factor boolean not null,
  expires_at timestamptz(3) not null
);

create index gatewright_sign_in_codes_user_id on gatewright_sign_in_codes (user_id);

create index gatewright_sign_in_codes_expires_at on gatewright_sign_in_codes (expires_at);

-- 0054_claim_values

alter table gatewright_linked_accounts add column claim_values text collate "C";

-- 0055_shared_views

alter table gatewright_views add column shared boolean not null default false;

-- 0056_managed_webhooks

alter table gatewright_webhooks add column managed boolean not null default false;

create index gatewright_webhooks_managed on gatewright_webhooks (user_id, id) where managed = true;

-- 0057_fills

create table gatewright_fills (
  table_name text collate "C" not null primary key,
  below bigint not null
);
