/** Commands that give an application of the encrypted credentials another secret or a public key. */

import { field } from '../../fields/define.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type CommandResult, defineEntityCommand, type EntityCommand } from '../../ledger/command.ts';
import { type Change, isSuperior } from '../../ledger/context.ts';
import { defaultOverlapSeconds, overlapField } from '../../ledger/overlap.ts';
import { always } from '../../records/entity.ts';
import { rotateAppKey } from '../../vault/changes.ts';
import type { AppKey, Credentials } from '../../vault/credentials.ts';
import { publicKeyPattern } from '../../vault/public-key.ts';
import type { ApplicationSummary, CredentialsFile } from '../../vault/vault.ts';
import type { SeenCredentialsStore } from './seen-credentials.ts';

/** Applications of the encrypted credentials. */
export interface Applications {
  /** The file whose content is in effect; undefined where there is none. */
  readonly file: CredentialsFile | undefined;
  applications(): readonly ApplicationSummary[];
  /** Changes the file; `seen` is the serial of the newest one that any process has read. */
  update(change: (current: Credentials) => Credentials, seen?: number): Promise<void>;
  /** Calls the listener after each change of the file. Returns a function that ends this. */
  onChange(listener: () => void): () => void;
}

export interface ApplicationCommandParts {
  readonly seenCredentials: SeenCredentialsStore;
  readonly clock: Clock;
  readonly vault: Applications;
}

/**
 * Commands on applications. A secret comes with the request, as no response ever contains one: the page makes it in the
 * browser. They change the file as `gatewright app rotate` does.
 */
export const applicationCommands = ({
  seenCredentials,
  clock,
  vault,
}: ApplicationCommandParts): readonly EntityCommand[] => {
  // The file is changed first, as by the command line; its reload is a security event of its own, so that a change is
  // seen even where the database fails in between.
  const replace = async (
    actor: Actor,
    params: Readonly<Record<string, string>>,
    key: AppKey,
    seconds?: number,
  ) => {
    const { app_id: id = '' } = params;
    if (!isSuperior(actor)) throw new Problem('forbidden');
    if (!vault.applications().some(({ app_id }) => app_id === id)) throw new Problem('record_not_found');
    const grace = seconds ?? defaultOverlapSeconds;
    const last = await seenCredentials.last();
    try {
      await vault.update((current) => rotateAppKey(current, id, key, clock(), grace * 1_000), last?.serial);
    } catch (cause) {
      throw new Problem('credentials_unwritable', { cause });
    }
    return { id, grace, file: vault.file, kind: 'public_key' in key ? 'public_key' : 'api_secret' };
  };

  const record = async (
    { transaction }: Pick<Change, 'transaction'>,
    { id, grace, file, kind }: Awaited<ReturnType<typeof replace>>,
  ): Promise<CommandResult> => {
    if (file !== undefined) await transaction.run(seenCredentials.put(file));
    const target = { kind: 'application', id, name: id };
    const detail = { serial: file?.serial ?? null, grace_seconds: grace, key: kind };
    return { audit: { action: 'app.rotate', target, detail } };
  };

  const rotate = defineEntityCommand({
    verb: 'rotate',
    operation: 'rotateApplicationSecret',
    summary: { 'zh-CN': '轮换应用密钥', en: 'Give an application another secret' },
    description: {
      'zh-CN': `新密钥由调用者生成（32 个随机字节，64 位小写十六进制），任何响应都不会包含它。\`overlap\` 秒（默认 86400，最多 30 天）内旧密钥同时有效；为 0 时旧密钥立即失效。仅限 super_admin。`,
      en: `The caller makes the secret, 32 random bytes in lowercase hex: no response contains it. For \`overlap\` seconds (default 86400, at most 30 days) the previous secret signs as well; with 0 it ends at once. For super_admin only.`,
    },
    input: { secret: field.string({ ...always, pattern: '^[0-9a-f]{64}$' }), overlap: overlapField },
    problems: ['record_not_found', 'credentials_unwritable'],
    prepare: ({ actor, params, values }) =>
      replace(actor, params, { api_secret: values.secret }, values.overlap ?? undefined),
    run: (call) => record(call, call.prepared),
  });

  const replacePublicKey = defineEntityCommand({
    verb: 'public_key',
    operation: 'replaceApplicationPublicKey',
    summary: { 'zh-CN': '设置应用公钥', en: 'Give an application a public key' },
    description: {
      'zh-CN': `应用此后以对应的私钥签署 HTTP 消息（RFC 9421，\`ed25519\`）。公钥为 PEM 文件标记之间的那一行（SPKI，Base64）。\`overlap\` 秒（默认 86400，最多 30 天）内原有的密钥或公钥同时有效；为 0 时立即失效。仅限 super_admin。`,
      en: `From now on the application signs HTTP messages (RFC 9421, \`ed25519\`) with the private key that belongs to it. The key is the line between the marks of a PEM file (SPKI in base64). For \`overlap\` seconds (default 86400, at most 30 days) the previous secret or key stays valid, with 0 no longer. For super_admin only.`,
    },
    input: { public_key: field.string({ ...always, pattern: publicKeyPattern }), overlap: overlapField },
    problems: ['record_not_found', 'credentials_unwritable'],
    prepare: ({ actor, params, values }) =>
      replace(actor, params, { public_key: values.public_key }, values.overlap ?? undefined),
    run: (call) => record(call, call.prepared),
  });

  return [rotate, replacePublicKey];
};
