import { join, literal, sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { always, defineEntity, type Entity } from '../../records/entity.ts';

/** Applications come from the encrypted credentials, their last use from the database. */
export const applicationEntity = (
  applications: readonly {
    readonly app_id: string;
    readonly public_key: string | null;
    readonly rotated_at: string;
  }[],
): Entity => {
  const rows = applications.map(({ app_id, public_key, rotated_at }) => {
    const at = literal(toTimestamp(Date.parse(rotated_at)));
    const key = public_key === null ? sql`null` : literal(public_key);
    return sql`select ${literal(app_id)} as "app_id", ${key} as "public_key", ${at} as "rotated_at"`;
  });
  const none = sql`select '' as "app_id", '' as "public_key", '0001-01-01T00:00:00.000Z' as "rotated_at" where 1 = 0`;
  return defineEntity('applications', {
    title: 'Application',
    from: (dialect) =>
      sql`(select a."app_id", ${dialect.cast(sql`a."public_key"`, 'text')} as "public_key", ${dialect.cast(sql`a."rotated_at"`, 'timestamp')} as "rotated_at", l."last_used_at"
      from (${rows.length === 0 ? none : join(rows, ' union all ')}) a left join ${tableName('application_usage')} l on l."app_id" = a."app_id")`,
    fields: {
      app_id: field.string({ ...always, label: { 'zh-CN': '应用编号', en: 'Application id' } }),
      public_key: field.string({ label: { 'zh-CN': '公钥', en: 'Public key' } }),
      rotated_at: field.datetime({ ...always, label: { 'zh-CN': '密钥轮换时间', en: 'Key rotated' } }),
      last_used_at: field.datetime({ label: { 'zh-CN': '最近使用', en: 'Last used' } }),
    },
    key: 'app_id',
    list: {
      operation: 'listApplications',
      path: '/admin/applications',
      summary: { 'zh-CN': '应用列表', en: 'List applications' },
    },
  });
};
