import { field } from '../../fields/define.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import { always } from '../../records/entity.ts';
import { defineEntityCommand, type EntityCommand } from '../../service/command.ts';
import { isSuperior } from '../../service/context.ts';
import { defaultOverlapSeconds, overlapField } from '../../service/overlap.ts';
import type { SeenCredentialsStore } from '../../service/users/seen-credentials.ts';
import { rotateSecret } from '../../vault/changes.ts';
import type { Vault } from '../../vault/vault.ts';

export interface ApplicationCommandParts {
  readonly seenCredentials: SeenCredentialsStore;
  readonly clock: Clock;
  readonly vault: Pick<Vault, 'applications' | 'file' | 'update'>;
}

/**
 * Commands on applications. The secret comes with the request, as no response ever contains one: the page makes it in the
 * browser. They change the file as `gatewright app rotate` does.
 */
export const applicationCommands = ({
  seenCredentials,
  clock,
  vault,
}: ApplicationCommandParts): readonly EntityCommand[] => {
  const rotate = defineEntityCommand({
    verb: 'rotate',
    operation: 'rotateApplicationSecret',
    summary: { 'zh-CN': '轮换应用密钥', en: 'Give an application another secret' },
    description: {
      'zh-CN': `新密钥由调用者生成（32 个随机字节，64 位小写十六进制），任何响应都不会包含它。\`overlap\` 秒（默认 86400，最多 30 天）内旧密钥同时有效；为 0 时旧密钥立即失效。仅限 super_admin。`,
      en: `The caller makes the secret, 32 random bytes in lowercase hex: no response contains it. For \`overlap\` seconds (default 86400, at most 30 days) the previous secret signs as well; with 0 it ends at once. For super_admin only.`,
    },
    input: {
      secret: field.string({ ...always, pattern: '^[0-9a-f]{64}$' }),
      overlap: overlapField,
    },
    problems: ['record_not_found', 'credentials_unwritable'],
    // The file is changed first, as by the command line; its reload is a security event of its own, so that a change is seen
    // even where the database fails in between.
    prepare: async ({ actor, params, values }) => {
      const { app_id: id = '' } = params;
      if (!isSuperior(actor)) throw new Problem('forbidden');
      if (!vault.applications().some(({ app_id }) => app_id === id)) throw new Problem('record_not_found');
      const grace = values.overlap ?? defaultOverlapSeconds;
      const last = await seenCredentials.last();
      try {
        await vault.update(
          (current) => rotateSecret(current, id, values.secret, clock(), grace * 1_000),
          last?.serial,
        );
      } catch (cause) {
        throw new Problem('credentials_unwritable', { cause });
      }
      return { id, grace, file: vault.file };
    },
    run: async ({ transaction, prepared: { id, grace, file } }) => {
      if (file !== undefined) await transaction.run(seenCredentials.put(file));
      const target = { kind: 'application', id, name: id };
      return {
        audit: {
          action: 'app.rotate',
          target,
          detail: { serial: file?.serial ?? null, grace_seconds: grace },
        },
      };
    },
  });

  return [rotate];
};
