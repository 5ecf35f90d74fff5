/** The first pages of docs/guide and docs/reference: each page of the folder, those of guides with their first sentences. */

import { posix } from 'node:path';
import { type Language, languages, sections, sourceOf, titleOf } from '../docs/.vitepress/pages.ts';
import { leadOf } from './llms.ts';

interface Index {
  readonly folder: string;
  readonly title: Readonly<Record<Language, string>>;
  readonly lead: Readonly<Record<Language, string>>;
  /** Pages whose titles say what is in them have no sentence. */
  readonly titlesOnly?: true;
}

const indexes: readonly Index[] = [
  {
    folder: 'docs/guide',
    title: { en: 'Guides', zh: '指南' },
    lead: {
      en: 'A guide shows how to do one task, step by step. Options, limits and exact rules are in the [reference](../reference/README.md).',
      zh: '每篇指南介绍一项工作的步骤。选项、上限与确切的规则见[参考](../reference/README.zh-CN.md)。',
    },
  },
  {
    folder: 'docs/reference',
    title: { en: 'Reference', zh: '参考' },
    lead: {
      en: 'Here are all options, settings, commands, limits and errors. The [guides](../guide/README.md) show how to use them.',
      zh: '这里列出全部选项、设置、命令、上限与错误。用法见[指南](../guide/README.zh-CN.md)。',
    },
    titlesOnly: true,
  },
];

/** The mark of a link from a Chinese page to an English one. */
const englishMark = '（英文）';

const lineOf = (page: string, language: Language, titlesOnly: boolean): string => {
  const source = sourceOf(page, language);
  const mark = language === 'zh' && source === page ? englishMark : '';
  const colon = language === 'zh' ? '：' : ': ';
  const hasLead = mark === '' && !titlesOnly;
  const lead = hasLead ? colon + leadOf(source).replace(/[:：]$/, language === 'zh' ? '。' : '.') : '';
  return `- [${titleOf(page, language)}](${posix.basename(source)})${mark}${lead}`;
};

/** The pages of a folder under the headings of the site, in the order of its sidebar. */
const listsOf = (folder: string, language: Language, titlesOnly: boolean): readonly string[] =>
  sections
    .flatMap(({ title, pages, groups }) => groups ?? [{ title, pages }])
    .map(({ title, pages }) => ({
      title: title[language],
      pages: pages.filter((page) => posix.dirname(page) === folder && !page.endsWith('/README.md')),
    }))
    .filter(({ pages }) => pages.length > 0)
    .map(
      ({ title, pages }) =>
        `## ${title}\n\n${pages.map((page) => lineOf(page, language, titlesOnly)).join('\n')}`,
    );

const otherLanguage: Readonly<Record<Language, string>> = {
  en: '[简体中文](README.zh-CN.md)',
  zh: '[English](README.md)',
};

/** Files of `docs` by their names, made of the pages as they are. */
export const indexFiles = (): ReadonlyMap<string, string> =>
  new Map(
    indexes.flatMap(({ folder, title, lead, titlesOnly = false }) =>
      languages.map((language): [string, string] => {
        const name = language === 'zh' ? 'README.zh-CN.md' : 'README.md';
        const parts = [
          `# ${title[language]}`,
          otherLanguage[language],
          '<!-- Written by npm run reference from the pages. -->',
          lead[language],
          ...listsOf(folder, language, titlesOnly),
        ];
        return [posix.join(posix.relative('docs', folder), name), `${parts.join('\n\n')}\n`];
      }),
    ),
  );
