/** The documents of this package as HTML pages, with their contents page and the sections that the search finds. */

import { readdir, readFile } from 'node:fs/promises';
import { extname, posix } from 'node:path';
import { packageFile } from '../../kernel/package-files.ts';

/** A document of this package: the folder below `docs`, or `package` for those at its top, and the file. */
export interface HandbookPage {
  readonly folder: string;
  readonly file: string;
}

/** A file as the handbook sends it. */
export interface Sheet {
  readonly type: string;
  readonly content: string | Uint8Array;
}

/** Folders below `docs` whose files are sent, and documents at the top of the package. */
const folders = ['tutorial', 'guide', 'reference', 'deploy', 'decisions', 'images'];
const topFolder = 'package';
const topFiles = ['README', 'SECURITY', 'CHANGELOG'].flatMap((name) => [`${name}.md`, `${name}.zh-CN.md`]);

const pictures: Readonly<Record<string, string>> = { '.webp': 'image/webp', '.svg': 'image/svg+xml' };

const pathOf = ({ folder, file }: HandbookPage): string =>
  folder === topFolder ? file : `docs/${folder}/${file}`;

const isFile = /^[\w.@-]+$/;

/** Every place, by its path in the package; read once, as an installed package does not change. */
const readPlaces = async (): Promise<ReadonlyMap<string, HandbookPage>> => {
  const listed = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(packageFile(`docs/${folder}/`), { withFileTypes: true }))
        .filter((entry) => entry.isFile() && isFile.test(entry.name))
        .map(({ name }): HandbookPage => ({ folder, file: name })),
    ),
  );
  const top = (await readdir(packageFile('./'))).filter((name) => topFiles.includes(name));
  const all = [...listed.flat(), ...top.map((file): HandbookPage => ({ folder: topFolder, file }))];
  return new Map(all.map((place) => [pathOf(place), place]));
};

let places: Promise<ReadonlyMap<string, HandbookPage>> | undefined;

const allPlaces = (): Promise<ReadonlyMap<string, HandbookPage>> => {
  places ??= readPlaces();
  return places;
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The anchor of a heading, as on GitHub and on the site. */
const anchorOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>|&(?:amp|lt|gt|quot|#39);/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

/** The target of a document's link within the handbook; undefined where the package does not contain the file. */
const leads = (
  from: HandbookPage,
  target: string,
  known: ReadonlyMap<string, HandbookPage>,
): string | undefined => {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const place = known.get(posix.join(posix.dirname(pathOf(from)), path));
  return place && `../${place.folder}/${place.file}${anchor === undefined ? '' : `#${anchor}`}`;
};

/** The HTML of a document; its headings have anchors. */
const bodyOf = async (
  place: HandbookPage,
  markdown: string,
  known: ReadonlyMap<string, HandbookPage>,
): Promise<string> => {
  const { marked } = await import('marked');
  // The page has its own link to the other language.
  const html = await marked.parse(markdown.replace(/^\[(?:简体中文|English)\]\([^)]*\)\n/m, ''));
  return (
    html
      .replaceAll(/<!--.*?-->\n*/gs, '')
      .replaceAll(
        /<h([1-6])>(.*?)<\/h\1>/g,
        (_, level: string, title: string) => `<h${level} id="${anchorOf(title)}">${title}</h${level}>`,
      )
      .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (_, href: string, text: string) => {
        const to = leads(place, href, known);
        return to === undefined ? text : `<a href="${to}">${text}</a>`;
      })
      // The alternative text replaces a picture that the handbook does not send.
      .replaceAll(
        /<img src="([^"]*)"(?: alt="([^"]*)")?([^>]*)>/g,
        (_, source: string, words = '', rest = '') => {
          const to = leads(place, source, known);
          return to === undefined ? words : `<img src="${to}" alt="${words}"${rest}>`;
        },
      )
      .replaceAll('<table>', '<div class="wide"><table>')
      .replaceAll('</table>', '</table></div>')
  );
};

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? '';

const isChinese = (file: string): boolean => file.endsWith('.zh-CN.md');

interface PageFrame {
  readonly title: string;
  readonly chinese: boolean;
  /** From the page to the folder `api-docs`. */
  readonly up: string;
  readonly sheet: string;
  readonly body: string;
  /** The page in the other language. */
  readonly other: string | undefined;
}

const framed = ({ title, chinese, up, sheet, body, other }: PageFrame): string => {
  const lang = chinese ? 'zh-CN' : 'en';
  const words = chinese
    ? { all: '使用手册', api: '接口文档', other: 'English' }
    : { all: 'Handbook', api: 'API documentation', other: '简体中文' };
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escaped(title)} · Gatewright</title>
<link rel="icon" href="${up}${sheet.replace(/[^/]+$/, 'icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${up}${sheet}">
</head>
<body class="handbook">
<nav><a href="${up}handbook?lang=${lang}">${words.all}</a> <a href="${up}../api-docs">${words.api}</a>${
    other === undefined ? '' : ` <a href="${other}">${words.other}</a>`
  }</nav>
<main>
${body}
</main>
</body>
</html>
`;
};

/** The file of a page in the other language. */
const otherOf = (file: string): string =>
  isChinese(file) ? file.replace('.zh-CN.md', '.md') : file.replace(/\.md$/, '.zh-CN.md');

/**
 * A document of the package as a page, or another file of it as it is; undefined where there is none.
 * @param sheet path of the style sheet below `api-docs/`
 */
export const readSheet = async (place: HandbookPage, sheet: string): Promise<Sheet | undefined> => {
  const known = await allPlaces();
  const path = pathOf(place);
  if (!known.has(path)) return undefined;
  const content = await readFile(packageFile(path));
  const picture = pictures[extname(place.file)];
  if (picture !== undefined) return { type: picture, content };
  const text = content.toString();
  if (!place.file.endsWith('.md')) return { type: 'text/plain; charset=utf-8', content: text };
  const other = otherOf(place.file);
  const page = framed({
    title: titleOf(text),
    chinese: isChinese(place.file),
    up: '../../',
    sheet,
    body: await bodyOf(place, text, known),
    other: known.has(pathOf({ ...place, file: other })) ? other : undefined,
  });
  return { type: 'text/html; charset=utf-8', content: page };
};

const headings: readonly (readonly [folder: string, english: string, chinese: string])[] = [
  ['tutorial', 'Tutorial', '教程'],
  ['guide', 'Guides', '指南'],
  ['reference', 'Reference', '参考'],
  ['deploy', 'Deployment', '部署'],
  [topFolder, 'About', '关于'],
];

interface Document {
  readonly file: string;
  readonly title: string;
  readonly markdown: string;
}

/** The pages of a folder in a language, English where there is no translation. */
const documentsOf = async (folder: string, chinese: boolean): Promise<readonly Document[]> => {
  const known = await allPlaces();
  const files = [...known.values()].flatMap((each) =>
    each.folder === folder && each.file.endsWith('.md') && !isChinese(each.file) ? [each.file] : [],
  );
  return Promise.all(
    files.map(async (english) => {
      const translation = otherOf(english);
      const file = chinese && known.has(pathOf({ folder, file: translation })) ? translation : english;
      const markdown = await readFile(packageFile(pathOf({ folder, file })), 'utf8');
      return { file, title: titleOf(markdown), markdown };
    }),
  );
};

/** A section of the handbook, as the search of the documentation page finds it. */
export interface Topic {
  readonly title: string;
  /** The title of the page. */
  readonly page: string;
  /** The text of the section. */
  readonly text: string;
  /** Path below `api-docs/handbook/`. */
  readonly href: string;
}

/** The words of Markdown without its marks. */
const wordsOf = (markdown: string): string =>
  markdown
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** A heading of the first three levels, and all up to the next one. */
const section = /^#{1,3} (.+)$((?:\n(?!#{1,3} ).*)*)/gm;

/** The sections of guides, reference and deployment in a language; code is no text. */
export const topicsOf = async (chinese: boolean): Promise<readonly Topic[]> => {
  const found = await Promise.all(
    ['guide', 'reference', 'deploy'].map(async (folder) => {
      const documents = await documentsOf(folder, chinese);
      return documents.flatMap(({ file, title: page, markdown }) =>
        [...markdown.replaceAll(/^```.*?^```$/gms, '').matchAll(section)].map(([, head = '', body = '']) => {
          const title = wordsOf(head);
          return { title, page, text: wordsOf(body), href: `${folder}/${file}#${anchorOf(title)}` };
        }),
      );
    }),
  );
  return found.flat();
};

/** The pages of a folder in a language, by their titles. */
const listOf = async (folder: string, chinese: boolean): Promise<string> => {
  const pages = await documentsOf(folder, chinese);
  return pages
    .toSorted((one, other) => one.title.localeCompare(other.title, chinese ? 'zh-CN' : 'en'))
    .map(({ file, title }) => `<li><a href="handbook/${folder}/${file}">${escaped(title)}</a></li>`)
    .join('\n');
};

/** The first page: every document by its title. */
export const contentsPage = async (chinese: boolean, sheet: string): Promise<Sheet> => {
  const sections = await Promise.all(
    headings.map(
      async ([folder, english, translated]) =>
        `<h2>${chinese ? translated : english}</h2>\n<ul class="contents">\n${await listOf(folder, chinese)}\n</ul>`,
    ),
  );
  const title = chinese ? '使用手册' : 'Handbook';
  const body = `<h1>${title}</h1>\n${sections.join('\n')}`;
  const other = `handbook?lang=${chinese ? 'en' : 'zh-CN'}`;
  const content = framed({ title, chinese, up: '', sheet, body, other });
  return { type: 'text/html; charset=utf-8', content };
};
