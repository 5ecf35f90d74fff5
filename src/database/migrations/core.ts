import { sql } from 'kysely';
import { builtInRoles } from '../../policy/rule.ts';
import { requestCounts } from './0002-request-counts.ts';
import { mustChangePassword } from './0003-must-change-password.ts';
import { securityEvents } from './0004-security-events.ts';
import { identity } from './0005-identity.ts';
import { nulledReferences } from './0006-nulled-references.ts';
import { securityStamp } from './0007-security-stamp.ts';
import { jobs } from './0008-jobs.ts';
import { imports } from './0009-imports.ts';
import { history } from './0010-history.ts';
import { events } from './0011-events.ts';
import { trash } from './0012-trash.ts';
import { webhooks } from './0013-webhooks.ts';
import { invitations } from './0015-invitations.ts';
import { refusals } from './0016-refusals.ts';
import { savedViews } from './0017-saved-views.ts';
import { keyUsage } from './0018-key-usage.ts';
import { secondFactors } from './0019-second-factors.ts';
import { revokedKeys } from './0020-revoked-keys.ts';
import { keptAnswers } from './0022-kept-answers.ts';
import { makers } from './0024-makers.ts';
import { clock } from './0026-clock.ts';
import { backupTime } from './0032-backup-time.ts';
import { revokedTokens } from './0033-revoked-tokens.ts';
import { keyScopes } from './0034-key-scopes.ts';
import { pausedSchedules } from './0040-paused-schedules.ts';
import { routeTimes } from './0041-route-times.ts';
import { keyRotation } from './0042-key-rotation.ts';
import { serviceAccounts } from './0043-service-accounts.ts';
import { limits } from './0045-limits.ts';
import { nonces } from './0047-nonces.ts';
import { keyUses } from './0049-key-uses.ts';
import { counts } from './0050-counts.ts';
import { systemInvitations } from './0051-system-invitations.ts';
import { accountLinks } from './0052-account-links.ts';
import { linkedAccounts } from './0053-linked-accounts.ts';
import { claimValues } from './0054-claim-values.ts';
import { sharedViews } from './0055-shared-views.ts';
import { managedWebhooks } from './0056-managed-webhooks.ts';
import { fills } from './0057-fills.ts';
import { addresses } from './0058-addresses.ts';
import { dueJobs } from './0064-due-jobs.ts';
import { markedKeys } from './0066-marked-keys.ts';
import { takenAddresses } from './0069-taken-addresses.ts';
import { searchTriggers } from './0072-search-triggers.ts';
import { begunStamps } from './0074-begun-stamps.ts';
import { failedDeliveries } from './0076-failed-deliveries.ts';
import type { Migration, Migrations } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * The service's own tables, first version. A migration is never changed after a release: the next one goes into a
 * file of its own and a line in `coreMigrations`.
 */
const initial: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table users (
        id ${t.id},
        username ${t.text} not null,
        username_canonical ${t.text} not null,
        email ${t.text} not null,
        email_canonical ${t.text} not null,
        name ${t.text} not null,
        password_hash ${t.text} not null,
        disabled ${t.boolean} not null default ${t.off},
        created_at ${t.timestamp} not null,
        updated_at ${t.timestamp} not null
      )`,
      sql`create unique index users_username_canonical_unique on users (username_canonical)`,
      sql`create unique index users_email_canonical_unique on users (email_canonical)`,
      sql`create table roles (
        name ${t.text} primary key not null,
        built_in ${t.boolean} not null default ${t.off},
        created_at ${t.timestamp} not null
      )`,
      sql`create table user_roles (
        user_id ${t.integer} not null references users (id) on delete cascade,
        role ${t.text} not null references roles (name),
        primary key (user_id, role)
      )`,
      sql`create index user_roles_role on user_roles (role)`,
      sql`create table api_keys (
        id ${t.id},
        user_id ${t.integer} not null references users (id) on delete cascade,
        name ${t.text} not null,
        key_hash ${t.text} not null,
        key_prefix ${t.text} not null,
        expires_at ${t.timestamp},
        created_at ${t.timestamp} not null,
        last_used_at ${t.timestamp}
      )`,
      sql`create unique index api_keys_key_hash_unique on api_keys (key_hash)`,
      sql`create index api_keys_user_id on api_keys (user_id, id)`,
      sql`create table permission_entries (
        model ${t.text} not null,
        action ${t.text} not null,
        primary key (model, action)
      )`,
      sql`create table permissions (
        role ${t.text} not null references roles (name) on delete cascade,
        model ${t.text} not null,
        action ${t.text} not null,
        created_at ${t.timestamp} not null,
        primary key (model, role, action)
      )`,
      sql`create index permissions_role on permissions (role)`,
      sql`create table sessions (
        id ${t.id},
        user_id ${t.integer} not null references users (id) on delete cascade,
        session_hash ${t.text} not null,
        address ${t.text} not null,
        user_agent ${t.text} not null,
        created_at ${t.timestamp} not null,
        last_used_at ${t.timestamp} not null
      )`,
      sql`create unique index sessions_session_hash_unique on sessions (session_hash)`,
      sql`create index sessions_user_id on sessions (user_id, id)`,
      sql`create table payments (
        id ${t.id},
        app_id ${t.text} not null,
        fingerprint ${t.text} not null,
        body ${t.json} not null,
        order_no ${t.json},
        amount ${t.json},
        currency ${t.json},
        status ${t.text} not null,
        created_at ${t.timestamp} not null
      )`,
      sql`create unique index payments_fingerprint_unique on payments (fingerprint)`,
      sql`create index payments_app_id on payments (app_id, id)`,
      sql`create table idempotency_keys (
        scope ${t.text} primary key not null,
        fingerprint ${t.text} not null,
        status ${t.integer} not null,
        headers ${t.text} not null,
        data ${t.text},
        created_at ${t.timestamp} not null
      )`,
      sql`create index idempotency_keys_created_at on idempotency_keys (created_at)`,
      sql`create table application_usage (
        app_id ${t.text} primary key not null,
        last_used_at ${t.timestamp} not null
      )`,
      sql`create table audit (
        id ${t.id},
        created_at ${t.timestamp} not null,
        actor_kind ${t.text} not null,
        actor_id ${t.text},
        actor_name ${t.text},
        action ${t.text} not null,
        target_kind ${t.text} not null,
        target_id ${t.text},
        target_name ${t.text},
        detail ${t.json} not null,
        address ${t.text}
      )`,
      sql`create index audit_created_at on audit (created_at, id)`,
      sql`create table login_attempts (
        key ${t.text} primary key not null,
        failures ${t.integer} not null,
        pending ${t.integer} not null,
        window_started ${t.integer} not null,
        pending_until ${t.integer} not null
      )`,
      sql`create index login_attempts_window_started on login_attempts (window_started)`,
    ])
      await statement.execute(db);
    const now = new Date().toISOString();
    for (const name of builtInRoles)
      await sql`insert into roles (name, built_in, created_at)
        values (${name}, ${t.on}, ${now})`.execute(db);
  },
};

/** In the order in which they are applied; names are what the database remembers. */
export const coreMigrations: Migrations = {
  '0001_core': initial,
  '0002_request_counts': requestCounts,
  '0003_must_change_password': mustChangePassword,
  '0004_security_events': securityEvents,
  '0005_identity': identity,
  '0006_nulled_references': nulledReferences,
  '0007_security_stamp': securityStamp,
  '0008_jobs': jobs,
  '0009_imports': imports,
  '0010_history': history,
  '0011_events': events,
  '0012_trash': trash,
  '0013_webhooks': webhooks,
  '0015_invitations': invitations,
  '0016_refusals': refusals,
  '0017_saved_views': savedViews,
  '0018_key_usage': keyUsage,
  '0019_second_factors': secondFactors,
  '0020_revoked_keys': revokedKeys,
  '0022_kept_answers': keptAnswers,
  '0024_makers': makers,
  '0026_clock': clock,
  '0032_backup_time': backupTime,
  '0033_revoked_tokens': revokedTokens,
  '0034_key_scopes': keyScopes,
  '0040_paused_schedules': pausedSchedules,
  '0041_route_times': routeTimes,
  '0042_key_rotation': keyRotation,
  '0043_service_accounts': serviceAccounts,
  '0045_limits': limits,
  '0047_nonces': nonces,
  '0049_key_uses': keyUses,
  '0050_counts': counts,
  '0051_system_invitations': systemInvitations,
  '0052_account_links': accountLinks,
  '0053_linked_accounts': linkedAccounts,
  '0054_claim_values': claimValues,
  '0055_shared_views': sharedViews,
  '0056_managed_webhooks': managedWebhooks,
  '0057_fills': fills,
  '0058_addresses': addresses,
  '0064_due_jobs': dueJobs,
  '0066_marked_keys': markedKeys,
  '0069_taken_addresses': takenAddresses,
  '0072_search_triggers': searchTriggers,
  '0074_begun_stamps': begunStamps,
  '0076_failed_deliveries': failedDeliveries,
};
