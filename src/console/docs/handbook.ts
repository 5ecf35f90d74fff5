/**
 * The documents of this package as HTML pages and as Markdown, with their contents page and the sections that the search
 * finds.
 */

import { readdir, readFile } from 'node:fs/promises';
import { extname, posix } from 'node:path';
import { escapeHtml } from '../../kernel/html.ts';
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
const folders = ['tutorial', 'guide', 'reference', 'evidence', 'deploy', 'snippets', 'images'];
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

/** The anchor of a heading, as on GitHub and on the site. */
const anchorOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>|&(?:amp|lt|gt|quot|#39);/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

/** How a document is sent. */
export type Form = 'html' | 'markdown';

/** The last part of a document's address: that of its Markdown is the name of the file. */
const addressIn = (form: Form, file: string): string => (form === 'html' ? file.replace(/\.md$/, '') : file);

/** Path of a link's target below `handbook/`; undefined where the package does not contain the file. */
const addressOf = (
  from: string,
  target: string,
  known: ReadonlyMap<string, HandbookPage>,
  form: Form,
): string | undefined => {
  const [path = '', anchor] = target.split('#');
  const place = known.get(posix.join(posix.dirname(from), path));
  if (place === undefined) return undefined;
  return `${place.folder}/${addressIn(form, place.file)}${anchor === undefined ? '' : `#${anchor}`}`;
};

const isOutside = /^(?:[a-z]+:|#)/;

/** The target of a document's link within the handbook; undefined where the package does not contain the file. */
const leads = (
  from: HandbookPage,
  target: string,
  known: ReadonlyMap<string, HandbookPage>,
  form: Form,
): string | undefined => {
  if (isOutside.test(target)) return target;
  const address = addressOf(pathOf(from), target, known, form);
  return address && `../${address}`;
};

/** A block of code, a link whose text may have code, or code in a line. */
const codeOrLink = /^ *```.*?^ *```$|(!?)\[((?:[^\]\x60]|`[^`\n]*`)*)\]\(([^)\s]+)\)|`[^`\n]+`/gms;

/** Markdown with other targets of its links; a link without one becomes its text. */
const relinked = (markdown: string, to: (target: string) => string | undefined): string =>
  markdown.replaceAll(
    codeOrLink,
    (whole: string, image: string, text: string, target: string | undefined) => {
      if (target === undefined) return whole;
      const found = to(target);
      return found === undefined ? text : `${image}[${text}](${found})`;
    },
  );

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
        const to = leads(place, href, known, 'html');
        return to === undefined ? text : `<a href="${to}">${text}</a>`;
      })
      // The alternative text replaces a picture that the handbook does not send.
      .replaceAll(
        /<img src="([^"]*)"(?: alt="([^"]*)")?([^>]*)>/g,
        (_, source: string, words = '', rest = '') => {
          const to = leads(place, source, known, 'html');
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
  /** The page as Markdown. */
  readonly markdown: string;
}

const framed = ({ title, chinese, up, sheet, body, other, markdown }: PageFrame): string => {
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
<title>${escapeHtml(title)} · Gatewright</title>
<link rel="icon" href="${up}${sheet.replace(/[^/]+$/, 'icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${up}${sheet}">
<link rel="alternate" href="${markdown}" type="text/markdown">
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

const markdownType = 'text/markdown; charset=utf-8';

/** The text of a document as Markdown, with links to Markdown. */
const markdownSheet = (
  place: HandbookPage,
  text: string,
  known: ReadonlyMap<string, HandbookPage>,
): Sheet => ({
  type: markdownType,
  content: relinked(text, (target) => leads(place, target, known, 'markdown')),
});

const pageSheet = async (
  place: HandbookPage,
  text: string,
  known: ReadonlyMap<string, HandbookPage>,
  sheet: string,
): Promise<Sheet> => {
  const other = otherOf(place.file);
  const content = framed({
    title: titleOf(text),
    chinese: isChinese(place.file),
    up: '../../',
    sheet,
    body: await bodyOf(place, text, known),
    other: known.has(pathOf({ ...place, file: other })) ? addressIn('html', other) : undefined,
    markdown: place.file,
  });
  return { type: 'text/html; charset=utf-8', content };
};

/** True if an address names a document in the form that its caller prefers, and not a file as it is. */
export const isNegotiated = async ({ folder, file }: HandbookPage): Promise<boolean> => {
  const known = await allPlaces();
  return !known.has(pathOf({ folder, file })) && known.has(pathOf({ folder, file: `${file}.md` }));
};

/**
 * A document of the package in a form, or another file of it as it is; undefined where there is none. The address of a
 * document without `.md` has both forms, with `.md` it is Markdown.
 * @param sheet path of the style sheet below `api-docs/`
 */
export const readSheet = async (
  named: HandbookPage,
  form: Form,
  sheet: string,
): Promise<Sheet | undefined> => {
  const known = await allPlaces();
  const place = known.get(pathOf(named)) ?? known.get(pathOf({ ...named, file: `${named.file}.md` }));
  if (place === undefined) return undefined;
  const content = await readFile(packageFile(pathOf(place)));
  const picture = pictures[extname(place.file)];
  if (picture !== undefined) return { type: picture, content };
  const text = content.toString();
  if (!place.file.endsWith('.md')) return { type: 'text/plain; charset=utf-8', content: text };
  if (form === 'markdown' || place.file === named.file) return markdownSheet(place, text, known);
  return pageSheet(place, text, known, sheet);
};

/** The documents for machines: a line for each page, or the whole reference. */
export type MachineFile = 'llms.txt' | 'llms-full.txt';

/**
 * A document for machines, as Markdown.
 * @param up from the address of the file to `api-docs/`
 */
export const readMachineFile = async (file: MachineFile, up: string): Promise<Sheet> => {
  const known = await allPlaces();
  const text = await readFile(packageFile(`docs/${file}`), 'utf8');
  const content = relinked(text, (target) => {
    if (isOutside.test(target)) return target;
    const address = addressOf(`docs/${file}`, target, known, 'markdown');
    if (address !== undefined) return `${up}handbook/${address}`;
    return target === 'llms-full.txt' ? `${up}../${target}` : undefined;
  });
  return { type: markdownType, content };
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

/** A section with the file that it is in. */
export interface FiledTopic extends Topic {
  /** Path below `docs`. */
  readonly file: string;
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

/** The sections of guides, reference and deployment in a language, with their files; code is no text. */
export const handbookTopics = async (chinese: boolean): Promise<readonly FiledTopic[]> => {
  const found = await Promise.all(
    ['guide', 'reference', 'deploy'].map(async (folder) => {
      const documents = await documentsOf(folder, chinese);
      return documents.flatMap(({ file, title: page, markdown }) =>
        [...markdown.replaceAll(/^```.*?^```$/gms, '').matchAll(section)].map(([, head = '', body = '']) => {
          const title = wordsOf(head);
          const href = `${folder}/${addressIn('html', file)}#${anchorOf(title)}`;
          return { title, page, text: wordsOf(body), href, file: `${folder}/${file}` };
        }),
      );
    }),
  );
  return found.flat();
};

/** The sections of the handbook in a language, for the search of the documentation page. */
export const topicsOf = async (chinese: boolean): Promise<readonly Topic[]> =>
  (await handbookTopics(chinese)).map(({ file: _, ...topic }) => topic);

/** The pages of a folder in a language, by their titles. */
const listOf = async (folder: string, chinese: boolean): Promise<string> => {
  const pages = await documentsOf(folder, chinese);
  return pages
    .toSorted((one, other) => one.title.localeCompare(other.title, chinese ? 'zh-CN' : 'en'))
    .map(
      ({ file, title }) =>
        `<li><a href="handbook/${folder}/${addressIn('html', file)}">${escapeHtml(title)}</a></li>`,
    )
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
  const content = framed({ title, chinese, up: '', sheet, body, other, markdown: '../llms.txt' });
  return { type: 'text/html; charset=utf-8', content };
};
