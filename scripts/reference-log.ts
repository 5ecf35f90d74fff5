/** The page of the log: its lines and their fields, read from the calls in the source. */

import { globSync } from 'node:fs';
import ts from 'typescript';
import type { RequestLine } from '../src/http/respond.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { inLanguage } from './reference-chinese.ts';
import { code, page, table } from './reference-markdown.ts';
import { parse } from './reference-types.ts';

/** Levels of the log in their order, with the numbers of their lines. */
const levels = { fatal: 60, error: 50, warn: 40, info: 30, debug: 20 } as const;

type Level = keyof typeof levels;

interface LoggedLine {
  readonly level: Level;
  /** The fixed text of `msg`; undefined if the code computes it. */
  readonly message: string | undefined;
}

/** The levels whose messages the page lists. */
const watched: readonly Level[] = ['fatal', 'error'];

const isLevel = (name: string): name is Level => Object.hasOwn(levels, name);

/** Each node below a node, itself included. */
const nodesIn = (node: ts.Node): readonly ts.Node[] => {
  const nodes: ts.Node[] = [node];
  node.forEachChild((child) => {
    nodes.push(...nodesIn(child));
  });
  return nodes;
};

const loggedLine = (node: ts.Node): readonly LoggedLine[] => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  if (!isLevel(name.text) || !/logger$/i.test(expression.getText())) return [];
  const text = node.arguments.at(-1);
  const message = text !== undefined && ts.isStringLiteralLike(text) ? text.text : undefined;
  return [{ level: name.text, message }];
};

/** Lines that the source logs, in the order of its files. */
const loggedLines = (): readonly LoggedLine[] =>
  globSync('**/*.ts', { cwd: new URL('../src/', import.meta.url), exclude: ['**/*.test.ts'] })
    .sort()
    .flatMap((file) => nodesIn(parse(file.replaceAll('\\', '/'))).flatMap(loggedLine));

/** Fields of every line. */
const general: readonly (readonly [string, string])[] = [
  ['level', '20 debug, 30 info, 40 warn, 50 error, 60 fatal'],
  ['time', 'milliseconds since 1970, UTC'],
  ['pid', 'the process; with `WORKERS` that of the worker'],
  ['hostname', 'the machine'],
  ['msg', 'the message, see below'],
];

const requestFields: Readonly<Record<keyof RequestLine, string>> = {
  requestId: 'the `X-Request-Id` of the response',
  method: 'the method',
  route: 'the path as registered (`/api/v1/orders/:id`), without values; null if there is none',
  status: 'the status of the response',
  milliseconds: 'from the arrival to the end of the response',
  databaseMilliseconds: 'the part of it in which statements ran or waited',
  auth: 'the method of authentication; null without credentials',
  principal: 'the id of the user, or the `app_id` of the application',
  traceparent: 'the `traceparent` of the caller; absent if there is none',
};

const fieldTable = (rows: readonly (readonly [string, string])[], locale: ServiceLocale): string =>
  table(
    [words[locale].field, ''],
    rows.map(([name, text]) => [code(name), inLanguage(text, locale)]),
  );

const messagesOf = (lines: readonly LoggedLine[], level: Level): readonly string[] =>
  [...new Set(lines.flatMap((line) => (line.level === level ? [line.message ?? ''] : [])))]
    .filter((message) => message !== '')
    .sort();

const words = {
  en: {
    title: 'Log lines',
    lead: 'The service writes one JSON object per line to standard output. `LOG_LEVEL` sets the lowest level. It logs no password, key, token, header, query string or body, and errors of your code as they are. A line with `dropped` counts lost lines. [Monitor the service](../guide/monitoring.md) shows how to use them.',
    field: 'field',
    general: '## Fields of every line',
    request: '## Fields of a request',
    aboutRequest: 'A request is one line of level 30 with `"msg":"request"`:',
    events:
      'A line with `"msg":"security event"` has `event` (the action, as in the audit log) and `address`, and for a known user `user` and `username`.',
    messages: '## Messages of levels 50 and 60',
    aboutMessages:
      'Watch these. Lines with a computed text, such as a lost database with its reason, are not listed.',
    level: (number: number, name: string) => `Level ${number}, ${name}:`,
  },
  'zh-CN': {
    title: '日志',
    lead: '服务向标准输出每行写入一个 JSON 对象，`LOG_LEVEL` 设置最低级别。服务不记录密码、密钥、令牌、请求头、查询字符串与请求体，应用代码的错误则原样记录。带有 `dropped` 的行给出丢失的行数。如何使用见[监控服务](../guide/monitoring.zh-CN.md)。',
    field: '字段',
    general: '## 每行都有的字段',
    request: '## 请求的字段',
    aboutRequest: '每个请求为一行，级别 30，带有 `"msg":"request"`：',
    events:
      '带有 `"msg":"security event"` 的行有 `event`（操作，与审计日志相同）与 `address`；已知用户时还有 `user` 与 `username`。',
    messages: '## 级别 50 与 60 的消息',
    aboutMessages:
      '请关注下列消息。文本由代码算出的行（例如失去数据库及其原因）不在其中。日志中的消息为英文。',
    level: (number: number, name: string) => `级别 ${number}（${name}）：`,
  },
} as const;

/** The messages of a level; in Chinese with their meanings. */
const messageList = (level: Level, messages: readonly string[], locale: ServiceLocale): string => {
  const lines = messages.map((message) =>
    locale === 'en' ? `- ${code(message)}` : `- ${code(message)}：${inLanguage(message, locale)}`,
  );
  return `${words[locale].level(levels[level], level)}\n\n${lines.join('\n')}`;
};

/** The page about the log. */
export const logPage = (locale: ServiceLocale): string => {
  const lines = loggedLines();
  const text = words[locale];
  return page(
    text.title,
    text.lead,
    [
      text.general,
      fieldTable(general, locale),
      text.request,
      text.aboutRequest,
      fieldTable(Object.entries(requestFields), locale),
      text.events,
      text.messages,
      text.aboutMessages,
      ...watched.map((level) => messageList(level, messagesOf(lines, level), locale)),
    ].join('\n\n'),
  );
};
