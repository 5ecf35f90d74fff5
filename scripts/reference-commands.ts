/** The reference page of the command line: the commands print English, which the Chinese page introduces. */
import type { Command } from '../src/cli/command.ts';
import { commandHelp } from '../src/cli/help.ts';
import { registry } from '../src/cli/registry.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { code, type PageWords, page } from './reference-markdown.ts';

/** The purpose of each command in Chinese; its English line is in the list of `gatewright --help`. */
const purposes: Readonly<Record<string, string>> = {
  start: '启动服务',
  'generate client': '为其他包中的 `gatewright/client` 生成类型',
  dev: '运行应用，每次修改后自动重启',
  init: '创建新应用',
  'generate resource': '生成资源及其迁移',
  'generate endpoint': '生成接口示例',
  'generate job': '生成任务的初始文件',
  'generate migration': '生成使数据库与模型一致的迁移',
  adopt: '为已有数据库的表生成模型',
  migrate: '执行待执行的迁移',
  backup: '在服务运行时把数据库备份为文件',
  restore: '从备份在空的位置恢复数据库',
  move: '把全部数据复制到另一个数据库并比对',
  forget: '从历史、事件与回收站中清除一条记录的值',
  run: '在数据库上运行自己的脚本',
  console: '输入代码，在数据库上执行',
  'user create': '创建用户',
  'user import': '导入其他系统的用户',
  'user set-password': '设置用户的密码',
  'user reset-factor': '移除用户的两步验证',
  'key create': '为用户创建 API 密钥',
  'key rotate': '轮换 API 密钥',
  scan: '在文件或 git 历史中查找泄露的 API 密钥',
  'app create': '注册为请求签名的应用',
  'app rotate': '轮换应用的密钥',
  'app list': '列出应用',
  'app remove': '移除应用及其密钥',
  'credentials edit': '在编辑器中编辑加密的凭据',
  'credentials set': '把标准输入中的密钥存入加密的凭据',
  'credentials rekey': '用新的密钥重新加密凭据',
  import: '从文件创建或更新记录',
  export: '把列表的记录写入文件',
  openapi: '打印应用的 OpenAPI 文档',
  options: '列出模型、字段、接口、任务与配置的全部选项',
  audit: '列出各接口允许的调用者',
  access: '打印谁可以做什么，以及自锁定文件写入以来的变化',
  sign: '为请求签名：打印请求头或完整的 curl 命令',
};

/** @throws Error for a command without Chinese, and for a line of a command that is gone */
const purposesInOrder = (): readonly (readonly [string, string])[] => {
  const gone = Object.keys(purposes).find((name) => !registry.has(name));
  if (gone !== undefined) throw new Error(`there is no command ${gone}`);
  return [...registry.keys()].map((name) => {
    const purpose = purposes[name];
    if (purpose === undefined) throw new Error(`the command ${name} has no Chinese`);
    return [`[${code(name)}](#${name.replaceAll(' ', '-')})`, purpose];
  });
};

const words: Readonly<Record<ServiceLocale, PageWords>> = {
  en: {
    title: 'Command line',
    lead: 'Exit status: 0 success, 1 failure, 2 usage error. An error is one line on stderr. With `--json` the result is one line of JSON, the last of stdout. `--help` explains more, with examples.',
  },
  'zh-CN': {
    title: '命令行',
    lead: '退出状态：0 成功，1 失败，2 用法错误。错误为标准错误输出中的一行；使用 `--json` 时，结果是标准输出的最后一行 JSON。命令以英文输出，以下各节摘自其帮助；`--help` 有完整的说明与示例。',
  },
};

/** Sentences with facts that the usage and the options lack, and that a reader looks up here. */
const lookedUp =
  /^(?:Exit status|--check compares|Code is named|Columns: |Hashes of |Without a hash|If models and database differ|SIG|The exit|A field is|Types: |NAME is|former_jwt|smtp_)/;

/** The purpose of a command: the first sentence of its description, and sentences with facts to look up. */
const shortDescription = ({ description }: Command): readonly string[] => {
  const sentences = description.join(' ').split(/(?<=\.) (?=[A-Z])/);
  const kept = sentences.filter((sentence, at) => at === 0 || lookedUp.test(sentence)).join(' ');
  return kept.match(/.{1,110}(?:\s|$)/g)?.map((line) => line.trimEnd()) ?? [];
};

/** The help of a command with its purpose, and without examples and the lines that every command has. */
const shortHelp = (name: string, command: Command): string =>
  commandHelp(name, {
    ...command,
    description: shortDescription(command),
    examples: [],
  })
    .replace(/^ {2}--help +print this\n/m, '')
    .replace(/^( {2}--json) +print the result as one line of JSON$/m, '$1')
    .replace('Usage: ', '')
    .replace(' [OPTION]...', '')
    .replace('Options:\n', '')
    .replace(/\nExamples:\s*$/, '')
    .trimEnd();

export const commandPage = async (locale: ServiceLocale): Promise<string> => {
  const { title, lead } = words[locale];
  const helps = await Promise.all(
    [...registry].map(async ([name, { load }]) => {
      const { command } = await load();
      return `## ${name}\n\n\`\`\`text\n${shortHelp(name, command)}\n\`\`\``;
    }),
  );
  // The help of each command is English and begins with its purpose.
  const purposesInChinese = purposesInOrder().map(([name, purpose]) => `- ${name}：${purpose}`);
  const list = locale === 'en' ? [] : [purposesInChinese.join('\n')];
  return page(title, lead, [...list, ...helps].join('\n\n'));
};
