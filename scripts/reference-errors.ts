import { readFileSync } from 'node:fs';
import { anchorOf } from '../docs/.vitepress/pages.ts';
import { mailRules } from '../src/delivery/mail.ts';
import type { FieldType } from '../src/fields/field.ts';
import { fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { catalogueOf, type OwnRule, type ServiceLocale, uniqueCombination } from '../src/kernel/messages.ts';
import { type ProblemName, problemTable } from '../src/kernel/problem-table.ts';
import { lineRules, nestedRules } from '../src/resources/operations.ts';
import { code, type PageWords, page, table } from './reference-markdown.ts';

interface Words extends PageWords {
  readonly columns: readonly string[];
  readonly notes: readonly string[];
  readonly validation: string;
  readonly aboutValidation: string;
  readonly ruleColumns: readonly string[];
}

const words: Readonly<Record<ServiceLocale, Words>> = {
  en: {
    title: 'Errors',
    lead: 'An error is returned as `{"code":…,"message":…}`. The first three digits of the code are the HTTP status. Match on `code`, not on the text. A linked code has further causes and remedies.',
    columns: ['code', 'name', 'message'],
    notes: [
      'A 401 response has `WWW-Authenticate`, and a 405 response has `Allow`. 429 and 503 have `Retry-After` in seconds, except 50302: a retry could write twice.',
      '`OPTIONS` returns 405 too, except for the preflight of a browser when `CORS_ORIGINS` is set, and for `OPTIONS *` (204).',
    ],
    validation: 'Validation',
    aboutValidation:
      'With `invalid_record` (422), `data.errors` has `{field, rule, message}` for every violated rule. The `message` of the envelope joins all of them. Each field of a unique combination has its own error, except fields that the caller cannot write.',
    ruleColumns: ['rule', 'message'],
  },
  'zh-CN': {
    title: '错误码',
    lead: '出错时返回 `{"code":…,"message":…}`。代码的前三位数字是 HTTP 状态码。程序应根据 `code` 判断，而不是文字。带链接的代码另有原因与处理办法的说明。',
    columns: ['code', '名称', '消息'],
    notes: [
      '401 带有 `WWW-Authenticate`，405 带有 `Allow`，429 与 503 带有以秒计的 `Retry-After`。50302 没有 `Retry-After`，因为重试可能重复写入。',
      '`OPTIONS` 同样返回 405，但设置了 `CORS_ORIGINS` 时浏览器的预检请求以及 `OPTIONS *`（204）除外。',
    ],
    validation: '校验',
    aboutValidation:
      '`invalid_record`（422）的 `data.errors` 为违反的每条规则给出 `{field, rule, message}`，响应的 `message` 连接全部消息。多个字段的组合须唯一时，每个字段各有一条错误，调用者不可写的字段除外。',
    ruleColumns: ['规则', '消息'],
  },
};

/** Rules that a field type defines, beside those of the catalogues. */
const typeRules = (): readonly OwnRule[] =>
  fieldKinds.flatMap((kind) => {
    const { format }: FieldType = fieldTypes[kind];
    return format?.rule === undefined || typeof format.rule === 'string' ? [] : [format.rule];
  });

type Row = readonly [name: string, sentences: Readonly<Record<ServiceLocale, string>>];

/** Every rule once, in the order of the catalogue; sentences of one rule that differ by the case stand in one row. */
const rules = (): readonly Row[] => {
  const english = catalogueOf('en').rules;
  const chinese = catalogueOf('zh-CN').rules;
  const rows = new Map<string, Readonly<Record<ServiceLocale, string>>>(
    (Object.keys(english) as (keyof typeof english)[]).map((name) => [
      name,
      { en: english[name], 'zh-CN': chinese[name] },
    ]),
  );
  for (const { name, sentence } of [
    uniqueCombination,
    ...nestedRules,
    ...lineRules,
    ...typeRules(),
    ...mailRules,
  ]) {
    const known = rows.get(name);
    rows.set(
      name,
      known === undefined
        ? sentence
        : { en: `${known.en}; ${sentence.en}`, 'zh-CN': `${known['zh-CN']}；${sentence['zh-CN']}` },
    );
  }
  return [...rows];
};

/** Headings of a page with remedies, each by the codes in its table. */
const headingsOf = (file: string): ReadonlyMap<number, string> =>
  new Map(
    readFileSync(new URL(`../docs/reference/${file}`, import.meta.url), 'utf8')
      .split(/^## /m)
      .flatMap((section) =>
        [...section.matchAll(/^\| (\d{5}) \|/gm)].map(([, found]): [number, string] => [
          Number(found),
          section.slice(0, section.indexOf('\n')),
        ]),
      ),
  );

const remedies: Readonly<Record<ServiceLocale, string>> = {
  en: 'troubleshooting.md',
  'zh-CN': 'troubleshooting.zh-CN.md',
};

const headings: Readonly<Record<ServiceLocale, ReadonlyMap<number, string>>> = {
  en: headingsOf(remedies.en),
  'zh-CN': headingsOf(remedies['zh-CN']),
};

/** The code of a problem, with a link to its remedy where the page of remedies has a row of it. */
const withRemedy = (problem: number, locale: ServiceLocale): string => {
  const file = remedies[locale];
  const heading = headings[locale].get(problem);
  return heading === undefined ? String(problem) : `[${problem}](${file}#${anchorOf(heading)})`;
};

/** The page of every error in one language. */
export const errorsPage = (locale: ServiceLocale): string => {
  const { title, lead, columns, notes, validation, aboutValidation, ruleColumns } = words[locale];
  const names = Object.keys(problemTable) as ProblemName[];
  return page(
    title,
    lead,
    [
      table(
        columns,
        names.map((name) => [
          withRemedy(problemTable[name], locale),
          code(name),
          catalogueOf(locale).problems[name],
        ]),
      ),
      ...notes,
      `## ${validation}`,
      aboutValidation,
      table(
        ruleColumns,
        rules().map(([name, sentences]) => [code(name), sentences[locale]]),
      ),
    ].join('\n\n'),
  );
};
