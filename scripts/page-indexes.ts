/** The first pages of docs/guide and docs/reference: the titles of the pages of the folder. */

import { posix } from 'node:path';
import { type Language, languages, sections, sourceOf, titleOf } from '../docs/.vitepress/pages.ts';

interface Index {
  readonly folder: string;
  readonly title: Readonly<Record<Language, string>>;
  readonly lead: Readonly<Record<Language, string>>;
}

const indexes: readonly Index[] = [
  {
    folder: 'docs/guide',
    title: { en: 'Guides', zh: '指南' },
    lead: {
      en: 'A guide shows how to do one task, step by step. Options, limits and exact rules are in the [reference](../reference/README.md). Commands run in a checkout of the repository after `npm ci`, in bash, with curl 7.76 or newer; a page names further tools, and the variables that you set yourself. The reset at its top brings the folder back to its beginning.',
      zh: '每篇指南介绍一项工作的步骤。选项、上限与确切的规则见[参考](../reference/README.zh-CN.md)。命令在执行过 `npm ci` 的源码目录中以 bash 执行，需要 curl 7.76 或更新版本；其他工具与须自行设置的变量见各页。页首的重置命令使目录恢复原状。',
    },
  },
  {
    folder: 'docs/reference',
    title: { en: 'Reference', zh: '参考' },
    lead: {
      en: 'Here are all options, settings, commands, limits and errors. The [guides](../guide/README.md) show how to use them.',
      zh: '这里列出全部选项、设置、命令、上限与错误。用法见[指南](../guide/README.zh-CN.md)。标有（英文）的页面只有英文版。',
    },
  },
];

/** The mark of a link from a Chinese page to an English one. */
const englishMark = '（英文）';

const lineOf = (page: string, language: Language): string => {
  const source = sourceOf(page, language);
  const mark = language === 'zh' && source === page ? englishMark : '';
  return `- [${titleOf(page, language)}](${posix.basename(source)})${mark}`;
};

/** The pages of a folder under the headings of the site, in the order of its sidebar. */
const listsOf = (folder: string, language: Language): readonly string[] =>
  sections
    .flatMap(({ title, pages, groups }) => groups ?? [{ title, pages }])
    .map(({ title, pages }) => ({
      title: title[language],
      pages: pages.filter((page) => posix.dirname(page) === folder && !page.endsWith('/README.md')),
    }))
    .filter(({ pages }) => pages.length > 0)
    .map(({ title, pages }) => `## ${title}\n\n${pages.map((page) => lineOf(page, language)).join('\n')}`);

const otherLanguage: Readonly<Record<Language, string>> = {
  en: '[简体中文](README.zh-CN.md)',
  zh: '[English](README.md)',
};

/** Files of `docs` by their names, made of the pages as they are. */
export const indexFiles = (): ReadonlyMap<string, string> =>
  new Map(
    indexes.flatMap(({ folder, title, lead }) =>
      languages.map((language): [string, string] => {
        const name = language === 'zh' ? 'README.zh-CN.md' : 'README.md';
        const parts = [
          `# ${title[language]}`,
          otherLanguage[language],
          '<!-- Written by npm run reference from the pages. -->',
          lead[language],
          ...listsOf(folder, language),
        ];
        return [posix.join(posix.relative('docs', folder), name), `${parts.join('\n\n')}\n`];
      }),
    ),
  );
