/**
 * The reference page of limits. A limit is stated at its constant, by a tag of the doc comment:
 * `@limit SECTION | TEXT | UNIT | BEYOND`, where BEYOND is the response to more, or `-`.
 */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { inLanguage } from './reference-chinese.ts';
import { type PageWords, page, table } from './reference-markdown.ts';
import { parse } from './reference-types.ts';

/** The value of an expression of numbers and constants; undefined where it is something else. */
const numberOf = (node: ts.Expression, names: ReadonlyMap<string, ts.Expression>): number | undefined => {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return numberOf(node.expression, names);
  if (ts.isIdentifier(node)) {
    const initial = names.get(node.text);
    return initial && numberOf(initial, names);
  }
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [numberOf(node.left, names), numberOf(node.right, names)];
  if (left === undefined || right === undefined) return undefined;
  if (node.operatorToken.kind === ts.SyntaxKind.AsteriskToken) return left * right;
  return node.operatorToken.kind === ts.SyntaxKind.PlusToken ? left + right : undefined;
};

/** Members of an object that constants name: `limits.items`. */
const membersOf = (value: ts.Expression): readonly ts.PropertyAssignment[] => {
  const object = ts.isAsExpression(value) ? value.expression : value;
  return ts.isObjectLiteralExpression(object) ? object.properties.filter(ts.isPropertyAssignment) : [];
};

/** Constants of a source file, and members of them, with the nodes that have their doc comments. */
const constantsOf = (
  file: ts.SourceFile,
): readonly { readonly name: string; readonly node: ts.Node; readonly value: ts.Expression }[] =>
  file.statements.filter(ts.isVariableStatement).flatMap((node) =>
    node.declarationList.declarations.flatMap(({ name, initializer }) => {
      if (initializer === undefined) return [];
      const members = membersOf(initializer).map((member) => ({
        name: `${name.getText()}.${member.name.getText()}`,
        node: member,
        value: member.initializer,
      }));
      return [{ name: name.getText(), node, value: initializer }, ...members];
    }),
  );

interface Units {
  readonly days: string;
  readonly hours: string;
  readonly minutes: string;
  readonly seconds: string;
  readonly bytes: string;
  readonly characters: string;
}

const units: Readonly<Record<ServiceLocale, Units>> = {
  en: { days: 'days', hours: 'h', minutes: 'min', seconds: 's', bytes: 'bytes', characters: 'characters' },
  'zh-CN': {
    days: '天',
    hours: '小时',
    minutes: '分钟',
    seconds: '秒',
    bytes: '字节',
    characters: '个字符',
  },
};

const spanOf = (seconds: number, { days, hours, minutes, seconds: unit }: Units): string => {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400} ${days}`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} ${hours}`;
  return seconds % 60 === 0 ? `${seconds / 60} ${minutes}` : `${seconds} ${unit}`;
};

const bytesOf = (bytes: number, { bytes: unit }: Units): string => {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1_024 === 0 ? `${bytes / 1_024} KiB` : `${bytes.toLocaleString('en')} ${unit}`;
};

/** Texts of values, by unit. */
const format: Readonly<Record<string, (value: number, words: Units) => string>> = {
  count: (value) => value.toLocaleString('en'),
  bytes: bytesOf,
  characters: (value, { characters }) => `${value.toLocaleString('en')} ${characters}`,
  ms: (value, words) => spanOf(value / 1_000, words),
  s: spanOf,
  days: (value, { days }) => `${value} ${days}`,
};

/** Sections of the page, in their order; the tags name them in English. */
const sections: Readonly<Record<string, string>> = {
  Lists: '列表',
  'Related records': '关联记录',
  Bodies: '请求体',
  Fields: '字段',
  Files: '文件',
  'Accounts and credentials': '账号与凭据',
  'Events, webhooks and jobs': '事件、Webhook 与任务',
};

interface Limit {
  /** The constant: its path in `src`, and its name. */
  readonly constant: string;
  readonly section: string;
  readonly text: string;
  readonly value: Readonly<Record<ServiceLocale, string>>;
  readonly beyond: string;
}

/** A limit of a tag. @throws Error for a tag of another form, and for a constant whose number the source does not have */
const limitOf = (constant: string, tag: string, value: number | undefined): Limit => {
  const [section = '', text = '', unit = '', beyond = '', ...more] = tag
    .split('|')
    .map((part) => part.trim());
  const words = format[unit];
  if (!Object.hasOwn(sections, section) || beyond === '' || more.length > 0 || words === undefined)
    throw new Error(`${constant}: "@limit ${tag}" is not SECTION | TEXT | UNIT | BEYOND`);
  if (value === undefined) throw new Error(`${constant} has a limit and no number`);
  const texts = { en: words(value, units.en), 'zh-CN': words(value, units['zh-CN']) };
  return { constant, section, text, value: texts, beyond: beyond === '-' ? '' : beyond };
};

const limitsIn = (path: string): readonly Limit[] => {
  const constants = constantsOf(parse(path));
  const values = new Map(constants.map(({ name, value }) => [name, value]));
  return constants.flatMap(({ name, node, value }) =>
    ts
      .getJSDocTags(node)
      .filter(({ tagName }) => tagName.text === 'limit')
      .map(({ comment }) => {
        const tag = (ts.getTextOfJSDocComment(comment) ?? '').replaceAll(/\s+/g, ' ');
        return limitOf(`${path} ${name}`, tag, numberOf(value, values));
      }),
  );
};

const limits: readonly Limit[] = globSync('**/*.ts', {
  cwd: fileURLToPath(new URL('../src', import.meta.url)),
  exclude: ['**/*.test.ts'],
})
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .flatMap(limitsIn);

/** The constants of the page: the path of each in `src`, and its name. */
export const limitConstants: ReadonlySet<string> = new Set(limits.map(({ constant }) => constant));

interface Words extends PageWords {
  readonly columns: readonly string[];
}

const words: Readonly<Record<ServiceLocale, Words>> = {
  en: {
    title: 'Limits',
    lead: 'These limits are fixed. [Configuration](configuration.md) has those with a variable, [Errors](errors.md) the codes.',
    columns: ['limit', 'value', 'beyond it'],
  },
  'zh-CN': {
    title: '上限',
    lead: '以下上限是固定的。可用变量调整的上限见[配置](configuration.zh-CN.md)，错误码见[错误码](errors.zh-CN.md)。',
    columns: ['对象', '上限', '超出时'],
  },
};

/** The response beyond a limit: codes and names stay, words are translated. */
const beyondIn = (beyond: string, locale: ServiceLocale): string =>
  /^\d{3}(?: `\w+`)?$/.test(beyond) ? beyond : inLanguage(beyond, locale);

/** The reference page of limits. */
export const limitsPage = (locale: ServiceLocale): string => {
  const { title, lead, columns } = words[locale];
  const parts = Object.entries(sections).map(([section, chinese]) => {
    const rows = limits.filter((limit) => limit.section === section);
    const cells = rows.map(({ text, value, beyond }) => [
      inLanguage(text, locale),
      value[locale],
      beyondIn(beyond, locale),
    ]);
    return `## ${locale === 'en' ? section : chinese}\n\n${table(columns, cells)}`;
  });
  return page(title, lead, parts.join('\n\n'));
};
