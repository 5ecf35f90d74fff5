import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, normalize, posix } from 'node:path';
import {
  addressOf,
  allPages,
  anchorOf,
  type Language,
  languages,
  originalOf,
  root,
  sections,
  sourceOf,
} from './pages.ts';

/** Where VitePress reads the pages: each in both languages, with links as they are in the site. */
export const staged = join(root, 'docs/.vitepress/pages');

const home = 'docs/.vitepress/home.md';

const languageNote = '::: info 本页暂无中文版，以下为英文原文。\n:::';

/** What is no prose: fenced blocks and inline code. */
const code = /(^ *```.*?^ *```$|`[^`\n]+`)/gms;

const mapProse = (text: string, change: (prose: string) => string): string =>
  text
    .split(code)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const anchorsIn = (file: string): ReadonlySet<string> =>
  new Set(
    [
      ...read(file)
        .replaceAll(/^ *```.*?^ *```$/gms, '')
        .matchAll(/^#+ (.*)$/gm),
    ].map(([, heading = '']) => anchorOf(heading)),
  );

/** The page that shows a file of the repository which is none itself, such as `docs/deploy/nginx.conf`. */
const addressOfFile = (file: string): string =>
  `files/${file
    .replace(/^docs\//, '')
    .replaceAll('/.', '/')
    .replaceAll(/[^\w/]+/g, '-')}.md`;

const languageOfFile: Readonly<Record<string, string>> = {
  '.conf': 'nginx',
  '.go': 'go',
  '.java': 'java',
  '.json': 'json',
  '.mjs': 'js',
  '.php': 'php',
  '.py': 'python',
  '.service': 'ini',
  '.ts': 'ts',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

const filesIn = (path: string): readonly string[] =>
  statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => join(path, name))
        .filter((file) => statSync(join(root, file)).isFile())
    : [path];

/** Above this many bytes a file is for programs: a page links to it instead of showing it. */
const readable = 40_000;

const isReadable = (file: string): boolean => statSync(join(root, file)).size <= readable;

/** A page with the text of a file, or of all files of a folder. */
const pageOfFiles = (path: string): string =>
  [
    '---\naside: false\n---',
    `# ${path.replace(/^docs\//, '')}`,
    ...filesIn(path).map((file) => {
      if (!isReadable(file)) return `[${basename(file)}](/${file})`;
      const text = read(file).replace(/\n*$/, '\n');
      const title = file === path ? '' : `## ${file.slice(path.length + 1)}\n\n`;
      return `${title}\`\`\`\`${languageOfFile[extname(file)] ?? 'text'}\n${text}\`\`\`\``;
    }),
  ].join('\n\n');

/** The English page that a path stands for: its own, that of its folder, or the first of its folder to be read. */
const pageAt = (path: string): string | undefined =>
  [originalOf(path), `${path}/README.md`].find((each) => allPages.includes(each)) ??
  sections.flatMap(({ pages }) => pages).find((each) => dirname(each) === path);

/** Where a link of a page leads in the site, and the file that needs a page of its own for it. */
const resolve = (target: string, source: string, language: Language) => {
  const [path = '', anchor] = target.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const file = normalize(join(dirname(source), path)).replace(/\/$/, '');
  const inside = language === 'zh' ? '/zh' : '';
  if (!existsSync(join(root, file))) throw new Error(`${source} links to ${target}, which is not there`);
  const page = pageAt(file);
  if (page !== undefined) {
    // An anchor is a heading of one language: where the translation lacks it, the link leads to the original.
    const lost = anchor !== undefined && !anchorsIn(sourceOf(page, language)).has(anchor);
    return { link: `${lost ? '' : inside}/${addressOf(page)}${hash}` };
  }
  if (/\.(?:webp|svg)$/.test(file)) return { link: `/${file.replace(/^docs\//, '')}` };
  return { link: `${inside}/${addressOfFile(file)}`, file };
};

/** True for a link to a page for contributors that is only in the repository: the site shows its words. */
const leadsOut = (target: string, source: string): boolean => {
  const [path = ''] = target.split('#');
  const file = normalize(join(dirname(source), path)).replaceAll('\\', '/');
  return /^(?:docs\/(?:decisions|contributing)|tests|bench)\/.+\.md$/.test(file) && !allPages.includes(file);
};

/** The text of a page as the site shows it, and the files that it links to. */
const stage = (
  page: string,
  language: Language,
): { readonly text: string; readonly files: readonly string[] } => {
  const source = sourceOf(page, language);
  const files: string[] = [];
  const leads = (target: string): string => {
    if (/^(?:[a-z]+:|#)/.test(target)) return target;
    const { link, file } = resolve(target, source, language);
    if (file !== undefined) files.push(file);
    return link;
  };
  const text = mapProse(read(source), (prose) =>
    prose
      .replaceAll(/<!--.*?-->\n*/gs, '')
      // The site has its own way to the other language.
      .replaceAll(/^\[(?:简体中文|中文|English)\]\([^)]*\)\n+/gm, '')
      .replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, words: string, target: string) =>
        leadsOut(target, source) ? words : link,
      )
      .replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => `](${leads(target)})`)
      .replaceAll(
        /^( *(?:- )?(?:link|src): )(\.\S+)$/gm,
        (_, key: string, target: string) => key + leads(target),
      ),
  );
  const untranslated = language === 'zh' && source === page;
  return { text: untranslated ? text.replace(/^# .+$/m, `$&\n\n${languageNote}`) : text, files };
};

/** Pages that only list others: the search finds those. */
const listing = new Set(['docs/guide/README.md', 'docs/reference/README.md']);

const unsearched = '---\nsearch: false\n---\n\n';

/** The text of a page as it stands beside the HTML: its links lead from its own address. */
const markdownAt = (address: string, text: string): string =>
  mapProse(text, (prose) =>
    prose.replaceAll(
      /\]\(\/([^)\s]+)\)/g,
      (_, target: string) => `](${posix.relative(posix.dirname(address), target)})`,
    ),
  );

/** A document for machines, whose links lead to the Markdown of the site. */
const machineText = (file: string): string =>
  mapProse(read(`docs/${file}`), (prose) =>
    prose.replaceAll(/\]\(([^)\s]+\.md)(#[^)\s]*)?\)/g, (whole, target: string, hash = '') => {
      const page = pageAt(normalize(join('docs', target)));
      return page === undefined ? whole : `](${addressOf(page)}${hash})`;
    }),
  );

/** Writes every page, also as Markdown, and the pictures that pages show. */
export const stageAll = async (): Promise<void> => {
  await rm(staged, { recursive: true, force: true });
  const publish = async (address: string, text: string): Promise<void> => {
    const path = join(staged, 'public', address);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  for (const file of ['llms.txt', 'llms-full.txt']) await publish(file, machineText(file));
  for (const language of languages) {
    const folder = join(staged, language === 'zh' ? 'zh' : '');
    const write = async (address: string, text: string): Promise<void> => {
      await mkdir(dirname(join(folder, address)), { recursive: true });
      await writeFile(join(folder, address), text);
    };
    const files = new Set<string>();
    for (const page of [home, ...allPages]) {
      const { text, files: linked } = stage(page, language);
      for (const file of linked) files.add(file);
      await write(page === home ? 'index.md' : addressOf(page), (listing.has(page) ? unsearched : '') + text);
      if (page === home) continue;
      const address = `${language === 'zh' ? 'zh/' : ''}${addressOf(page)}`;
      await publish(address, markdownAt(address, text));
    }
    for (const path of files) {
      await write(addressOfFile(path), pageOfFiles(path));
      for (const file of filesIn(path).filter((each) => !isReadable(each)))
        await cp(join(root, file), join(staged, 'public', file));
    }
  }
  for (const pictures of ['images', 'contributing/speed'])
    await cp(join(root, 'docs', pictures), join(staged, pictures), { recursive: true });
  await cp(join(root, 'docs-page/icon.svg'), join(staged, 'public/icon.svg'));
};
