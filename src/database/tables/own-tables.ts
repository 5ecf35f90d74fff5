/** The registry of the service's own tables: everything that names their columns follows from it. */

import { accountLinksTable, invitationsTable } from './account-link-tables.ts';
import {
  apiKeysTable,
  formerSecretsTable,
  keyCallsTable,
  keyNetworksTable,
  keyUsageTable,
  keyUsesTable,
  revokedKeysTable,
} from './api-key-tables.ts';
import { applicationUsageTable, noncesTable, paymentsTable } from './application-tables.ts';
import { auditTable, refusalsTable } from './audit-tables.ts';
import {
  appliedTable,
  databaseTable,
  fillsTable,
  registeredColumnsTable,
  registeredTablesTable,
  seenCredentialsTable,
} from './database-tables.ts';
import { eventInboxTable, eventsTable } from './event-tables.ts';
import { filesTable, removedFilesTable } from './file-tables.ts';
import { importPlacesTable, importsTable } from './import-tables.ts';
import { jobsTable, schedulesTable } from './job-tables.ts';
import { linkedAccountsTable, signInCodesTable } from './provider-tables.ts';
import {
  countsTable,
  deletedRecordsTable,
  historyTable,
  idempotencyKeysTable,
  viewsTable,
} from './record-tables.ts';
import { bucketsTable, requestCountsTable, routeTimesTable } from './request-tables.ts';
import { permissionEntriesTable, permissionsTable, rolesTable, userRolesTable } from './role-tables.ts';
import {
  factorSetupsTable,
  passkeysTable,
  recoveryCodesTable,
  signInTicketsTable,
  totpTable,
} from './second-factor-tables.ts';
import {
  loginAttemptsTable,
  sessionsTable,
  sessionTokensTable,
  signInFailuresTable,
} from './session-tables.ts';
import type { BoundedTime, UnboundedTime } from './stored-time.ts';
import type { KeptKind, Table, TableRow } from './table.ts';
import { revokedTokensTable, usersTable } from './user-tables.ts';
import { deliveriesTable, webhooksTable } from './webhook-tables.ts';

/** In the order in which they are made: a table comes after the tables to which it refers. */
export const ownTables = [
  usersTable,
  revokedTokensTable,
  rolesTable,
  userRolesTable,
  permissionEntriesTable,
  permissionsTable,
  sessionsTable,
  sessionTokensTable,
  loginAttemptsTable,
  signInFailuresTable,
  totpTable,
  passkeysTable,
  recoveryCodesTable,
  factorSetupsTable,
  signInTicketsTable,
  invitationsTable,
  accountLinksTable,
  linkedAccountsTable,
  signInCodesTable,
  apiKeysTable,
  formerSecretsTable,
  revokedKeysTable,
  keyNetworksTable,
  keyUsageTable,
  keyUsesTable,
  keyCallsTable,
  paymentsTable,
  applicationUsageTable,
  noncesTable,
  historyTable,
  deletedRecordsTable,
  countsTable,
  idempotencyKeysTable,
  viewsTable,
  importsTable,
  importPlacesTable,
  filesTable,
  removedFilesTable,
  eventsTable,
  eventInboxTable,
  webhooksTable,
  deliveriesTable,
  jobsTable,
  schedulesTable,
  auditTable,
  refusalsTable,
  requestCountsTable,
  routeTimesTable,
  bucketsTable,
  databaseTable,
  seenCredentialsTable,
  fillsTable,
] as const;

/** Tables that migrations make when they need them. */
const migrationTables = [
  appliedTable('gatewright_migrations'),
  appliedTable('migrations'),
  registeredTablesTable,
  registeredColumnsTable,
] as const;

/** The tables for Kysely. */
export type CoreSchema = { [Each in (typeof ownTables)[number] as Each['name']]: TableRow<Each> };

const allTables: readonly Table[] = [...ownTables, ...migrationTables];

/** The columns of every table, also of tables that only migrations use, by table and by what they keep. */
export const keptColumns: Readonly<Record<string, Readonly<Partial<Record<KeptKind, readonly string[]>>>>> =
  Object.fromEntries(
    allTables.map(({ name, columns }) => [
      name,
      Object.groupBy(Object.keys(columns), (column) => columns[column]?.options.kept ?? 'other'),
    ]),
  );

/** A time in a column on which a decision depends. */
export interface ColumnTime {
  readonly table: string;
  readonly column: string;
  readonly use: BoundedTime | UnboundedTime;
}

const usedTimes = allTables.flatMap(({ name: table, columns }) =>
  Object.entries(columns).flatMap(([column, { options }]) =>
    [options.time ?? []].flat().map((use) => ({ table, column, use })),
  ),
);

/** Every stored time on which a decision depends. */
export const decidingTimes: readonly ColumnTime[] = usedTimes.flatMap(({ table, column, use }) =>
  use === 'shown' ? [] : [{ table, column, use }],
);

/** Times that are only displayed, as `table.column`. */
export const shownTimes: readonly string[] = usedTimes.flatMap(({ table, column, use }) =>
  use === 'shown' ? [`${table}.${column}`] : [],
);
