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
  /** Fields that the call itself names. */
  readonly fields: readonly string[];
}

const isLevel = (name: string): name is Level => Object.hasOwn(levels, name);

/** Each node below a node, itself included. */
const nodesIn = (node: ts.Node): readonly ts.Node[] => {
  const nodes: ts.Node[] = [node];
  node.forEachChild((child) => {
    nodes.push(...nodesIn(child));
  });
  return nodes;
};

/** Objects that a file assigns to a variable of a name. */
const objectsNamed = (file: ts.SourceFile, name: string): readonly ts.Expression[] =>
  nodesIn(file).flatMap((node) =>
    ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer !== undefined
      ? [node.initializer]
      : [],
  );

/** Names of the members of an object, those included that it spreads from variables of its file. */
const fieldsOf = (object: ts.Expression | undefined): readonly string[] => {
  if (object === undefined) return [];
  if (ts.isIdentifier(object))
    return objectsNamed(object.getSourceFile(), object.text).flatMap((each) =>
      ts.isObjectLiteralExpression(each) ? fieldsOf(each) : [],
    );
  if (!ts.isObjectLiteralExpression(object)) return [];
  return object.properties.flatMap((property) => {
    if (ts.isSpreadAssignment(property)) return fieldsOf(property.expression);
    return ts.isComputedPropertyName(property.name) ? [] : [property.name.getText()];
  });
};

const loggedLine = (node: ts.Node): readonly LoggedLine[] => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  if (!isLevel(name.text) || !/logger$/i.test(expression.getText())) return [];
  const text = node.arguments.at(-1);
  const message = text !== undefined && ts.isStringLiteralLike(text) ? text.text : undefined;
  return [{ level: name.text, message, fields: fieldsOf(node.arguments[0]) }];
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

/** Meanings of the fields that calls name. A new one needs its line here, and one that is gone has none. */
const otherFields: Readonly<Record<string, string>> = {
  allowed: 'sessions that PostgreSQL allows',
  applied: 'names of the migrations that were applied',
  attempt: 'number of the attempt of a job or of a delivery, from 1',
  code: 'exit status of a worker',
  column: 'a column of stored times',
  connections: 'sessions that all pools may open',
  database: 'the place of the database, without a password',
  delivery: 'id of a delivery',
  err: 'an error: `type`, `message`, `stack`',
  error: 'the reason why a delivery failed',
  host: 'the address of a listener',
  id: 'id of a job',
  job: 'name of a job',
  jobs: 'names of jobs',
  last_tick: 'the stored time of the last tick of a job',
  later: 'migrations of a newer release',
  logLevel: 'the level that is now in effect',
  maxConnections: 'the limit that is now in effect',
  milliseconds: 'duration of a statement, or of a blocked event loop',
  minutes: 'how long the level holds',
  oldest: 'requests that run longest: `requestId`, `method`, `route`',
  pause: 'milliseconds until a worker is started',
  port: 'the port of a listener',
  reason: 'why a webhook was disabled',
  records: 'number of records',
  requestId: 'the request, as in its own line',
  requests: 'number of requests',
  route: 'the route or job that ran a statement',
  rows: 'number of rows',
  seconds: 'a duration: until the next attempt, of the drain, or by which clocks differ',
  signal: 'the signal that ended a worker',
  statement: 'text of a statement; values are `?`',
  status: 'status of the response of a receiver',
  subject: 'subject of a mail',
  table: 'name of a table',
  to: 'recipient of a mail',
  traceparent: 'the `traceparent` of the request',
  url: 'address of a webhook; its query is `?…`',
  webhook: 'id of a webhook',
  worker: 'process id of a worker',
  workers: 'number of workers, or their process ids',
};

const fieldTable = (rows: readonly (readonly [string, string])[], locale: ServiceLocale): string =>
  table(
    [words[locale].field, ''],
    rows.map(([name, text]) => [code(name), inLanguage(text, locale)]),
  );

/** @throws Error for a field without a meaning, and for a meaning without a field */
const otherRows = (lines: readonly LoggedLine[]): readonly (readonly [string, string])[] => {
  const named = new Set(lines.flatMap(({ fields }) => fields));
  const unknown = [...named].filter((name) => !Object.hasOwn(otherFields, name));
  const gone = Object.keys(otherFields).filter((name) => !named.has(name));
  if (unknown.length + gone.length > 0)
    throw new Error(`fields of the log: without a meaning ${unknown.join(', ')}; gone ${gone.join(', ')}`);
  return Object.entries(otherFields).toSorted(([one], [other]) => one.localeCompare(other));
};

const messagesOf = (lines: readonly LoggedLine[], level: Level): readonly string[] =>
  [...new Set(lines.flatMap((line) => (line.level === level ? [line.message ?? ''] : [])))]
    .filter((message) => message !== '')
    .sort();

const words = {
  en: {
    title: 'Log lines',
    lead: 'The service writes one JSON object per line to standard output. `LOG_LEVEL` sets the lowest level. At a terminal, `gatewright dev` prints readable lines instead. The service logs no password, key, token, header, query string or body. It logs errors of your code as they are. A line with `dropped` counts lines that were lost because standard output was blocked. [Monitor the service](../guide/monitoring.md) shows how to use them.',
    field: 'field',
    general: '## Fields of every line',
    request: '## Fields of a request',
    aboutRequest: 'A request is one line of level 30 with `"msg":"request"`:',
    others: '## Other fields',
    events:
      'A line with `"msg":"security event"` has `event` (the action, as in the audit log) and `address`, and for a known user `user` and `username`.',
    messages: '## Messages',
    aboutMessages:
      'Watch levels 50 and 60. Lines with a computed text, such as a lost database with its reason, are not listed.',
    level: (number: number, name: string) => `Level ${number}, ${name}:`,
  },
  'zh-CN': {
    title: '日志',
    lead: '服务向标准输出每行写入一个 JSON 对象，`LOG_LEVEL` 设置最低级别。在终端中，`gatewright dev` 改为打印便于阅读的行。服务不记录密码、密钥、令牌、请求头、查询字符串与请求体，应用代码的错误则原样记录。带有 `dropped` 的行给出因标准输出阻塞而丢失的行数。如何使用见[监控服务](../guide/monitoring.zh-CN.md)。',
    field: '字段',
    general: '## 每行都有的字段',
    request: '## 请求的字段',
    aboutRequest: '每个请求为一行，级别 30，带有 `"msg":"request"`：',
    others: '## 其他字段',
    events:
      '带有 `"msg":"security event"` 的行有 `event`（操作，与审计日志相同）与 `address`；已知用户时还有 `user` 与 `username`。',
    messages: '## 消息',
    aboutMessages:
      '请关注级别 50 与 60。文本由代码算出的行（例如失去数据库及其原因）不在其中。日志中的消息为英文。',
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
      text.others,
      fieldTable(otherRows(lines), locale),
      text.events,
      text.messages,
      text.aboutMessages,
      ...(Object.keys(levels) as Level[]).map((level) =>
        messageList(level, messagesOf(lines, level), locale),
      ),
    ].join('\n\n'),
  );
};
