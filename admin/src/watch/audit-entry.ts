import type { Text, TextKey } from '../texts/provider.ts';

export interface AuditEntry {
  readonly id: number;
  readonly created_at: string;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly action: string;
  readonly target_kind: string;
  readonly target_id: string | null;
  readonly target_name: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly address: string | null;
}

/** Every action that the service writes into the list, with its text. */
export const actionKeys: Readonly<Record<string, TextKey>> = {
  'user.create': 'audit.actions.userCreate',
  'user.update': 'audit.actions.userUpdate',
  'user.delete': 'audit.actions.userDelete',
  'role.create': 'audit.actions.roleCreate',
  'role.delete': 'audit.actions.roleDelete',
  'permission.grant': 'audit.actions.permissionGrant',
  'permission.revoke': 'audit.actions.permissionRevoke',
  'key.create': 'audit.actions.keyCreate',
  'key.update': 'audit.actions.keyUpdate',
  'key.delete': 'audit.actions.keyDelete',
  'record.create': 'audit.actions.recordCreate',
  'record.update': 'audit.actions.recordUpdate',
  'record.destroy': 'audit.actions.recordDestroy',
  'record.import': 'audit.actions.recordImport',
  'record.forget': 'audit.actions.recordForget',
  'job.repeat': 'audit.actions.jobRepeat',
  'job.delete': 'audit.actions.jobDelete',
  'webhook.create': 'audit.actions.webhookCreate',
  'webhook.update': 'audit.actions.webhookUpdate',
  'webhook.delete': 'audit.actions.webhookDelete',
  'webhook.rotate': 'audit.actions.webhookRotate',
  'webhook.resend': 'audit.actions.webhookResend',
  'webhook.disable': 'audit.actions.webhookDisable',
  'user.password': 'audit.actions.userPassword',
  'invitation.create': 'audit.actions.invitationCreate',
  'invitation.use': 'audit.actions.invitationUse',
  'second_factor.totp_add': 'audit.actions.totpAdd',
  'second_factor.totp_remove': 'audit.actions.totpRemove',
  'second_factor.passkey_add': 'audit.actions.passkeyAdd',
  'second_factor.passkey_remove': 'audit.actions.passkeyRemove',
  'second_factor.recovery_codes': 'audit.actions.recoveryCodes',
  'second_factor.reset': 'audit.actions.secondFactorReset',
  'session.create': 'audit.actions.sessionCreate',
  'session.delete': 'audit.actions.sessionDelete',
  'session.delete_all': 'audit.actions.sessionDeleteAll',
  'session.token': 'audit.actions.sessionToken',
  sign_in: 'audit.actions.signIn',
  'sign_in.failed': 'audit.actions.signInFailed',
  'sign_in.locked': 'audit.actions.signInLocked',
  'key.new_network': 'audit.actions.keyNewNetwork',
  'admin.refused': 'audit.actions.adminRefused',
  'app.create': 'audit.actions.applicationCreate',
  'app.rotate': 'audit.actions.applicationRotate',
  'app.remove': 'audit.actions.applicationRemove',
  'credentials.set': 'audit.actions.credentialsSet',
  'credentials.edit': 'audit.actions.credentialsEdit',
  'credentials.rekey': 'audit.actions.credentialsRekey',
  'credentials.reload': 'audit.actions.credentialsReload',
  'credentials.refused': 'audit.actions.credentialsRefused',
  'events.counted': 'audit.actions.eventsCounted',
};

const kindKeys: Readonly<Record<string, TextKey>> = {
  user: 'audit.kinds.user',
  api_key: 'audit.kinds.key',
  job: 'audit.kinds.job',
  webhook: 'audit.kinds.webhook',
  role: 'audit.kinds.role',
  permission: 'audit.kinds.permission',
  'command line': 'audit.kinds.commandLine',
  'first start': 'audit.kinds.firstStart',
  service: 'audit.kinds.service',
  nobody: 'audit.kinds.nobody',
  application: 'audit.kinds.application',
  credentials: 'audit.kinds.credentials',
  admin: 'audit.kinds.administration',
  events: 'audit.kinds.events',
};

/** The kind of thing that was changed, or that changed it where that was no user. */
export const kindText = (text: Text, kind: string): string => {
  const key = kindKeys[kind];
  return key === undefined ? kind : text(key);
};

/** One that these pages do not know is shown by its own name. */
export const actionText = (text: Text, action: string): string => {
  const key = actionKeys[action];
  return key === undefined ? action : text(key);
};
