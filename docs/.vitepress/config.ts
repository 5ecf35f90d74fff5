import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, barOf, fileOf, type Language, root, sidebarOf } from './pages.ts';
import { tokenize } from './tokenize.ts';

const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly repository?: { readonly url: string } | undefined;
};

/** Where the sources of the pages can be edited, `https://example.com/owner/name`; there is no link while it is unknown. */
const sources = process.env['SITE_REPOSITORY'] ?? repository?.url.replace(/^git\+|\.git$/g, '');

/** The address at which the site will be served; a sitemap needs it. */
const address = process.env['SITE_URL'];
const sitemap = address === undefined ? {} : { sitemap: { hostname: address } };

const editTexts: Readonly<Record<Language, string>> = { en: 'Edit this page', zh: '编辑本页' };

const navigation = (language: Language) => ({
  nav: [...barOf(language), { text: version, link: language === 'en' ? '/changelog' : '/zh/changelog' }],
  sidebar: sidebarOf(language),
});

/** The link to the source of a page; none where the sources are at no known address. */
const editLink = (language: Language) =>
  sources === undefined
    ? {}
    : { editLink: { pattern: `${sources}/edit/main/:path`, text: editTexts[language] } };

/** The words of the site itself in Chinese; VitePress has the English ones. */
const chinese = {
  outline: { level: [2, 3] as [number, number], label: '本页目录' },
  docFooter: { prev: '上一篇', next: '下一步' },
  darkModeSwitchLabel: '外观',
  darkModeSwitchTitle: '切换到深色模式',
  lightModeSwitchTitle: '切换到浅色模式',
  sidebarMenuLabel: '目录',
  returnToTopLabel: '回到顶部',
  langMenuLabel: '切换语言',
  skipToContentLabel: '跳到正文',
  notFound: {
    title: '页面不存在',
    quote: '地址可能有误，或页面已移走。',
    linkLabel: '返回首页',
    linkText: '返回首页',
  },
};

const chineseSearch = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    displayDetails: '显示详情',
    resetButtonTitle: '清除搜索',
    backButtonTitle: '关闭搜索',
    noResultsText: '没有结果：',
    footer: {
      selectText: '选择',
      selectKeyAriaLabel: '回车',
      navigateText: '切换',
      navigateUpKeyAriaLabel: '上箭头',
      navigateDownKeyAriaLabel: '下箭头',
      closeText: '关闭',
      closeKeyAriaLabel: 'Esc',
    },
  },
};

/** Within the pages, as a path would be another one in each folder. */
const icon = readFileSync(join(root, 'docs-page/icon.svg')).toString('base64');

/** Texts of which one ends and the other begins with Chinese: the end of a line between them is no space. */
const meetInChinese = (before: string, after: string): boolean =>
  /[\p{Script=Han}\u3000-\u303F\uFF00-\uFFEF]$/u.test(before) &&
  /^[\p{Script=Han}\u3000-\u303F\uFF00-\uFFEF]/u.test(after);

export default defineConfig({
  srcDir: '.vitepress/pages',
  // Markdown that is sent as it is.
  srcExclude: ['public/**'],
  // Works from every folder of every server.
  base: './',
  title: 'Gatewright',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml;base64,${icon}` }]],
  ignoreDeadLinks: false,
  ...sitemap,
  transformPageData: ({ relativePath, frontmatter }) => {
    const file = fileOf(relativePath);
    // Pages that show other files have no source that is a page.
    if (file === undefined) return { frontmatter: { ...frontmatter, editLink: false } };
    return { filePath: file };
  },
  // The font of the first text: a page without it would be set in another one.
  transformHead: ({ assets }) =>
    assets
      .filter((asset) => /\/inter\.[^/]*\.woff2$/.test(asset))
      .map((href) => ['link', { rel: 'preload', href, as: 'font', type: 'font/woff2', crossorigin: '' }]),
  markdown: {
    anchor: { slugify: anchorOf },
    image: { lazyLoad: true },
    locales: { zh: { codeCopyButton: { tooltipText: '复制代码', copiedText: '已复制' } } },
    config: ({ core, renderer: { rules } }) => {
      // Two braces in inline code are text, not an expression of Vue.
      const { code_inline: render } = rules;
      rules.code_inline = (...token) => (render?.(...token) ?? '').replaceAll('{{', '&#123;&#123;');
      // The cell above a column without a name is no heading.
      core.ruler.push('heads_without_words', ({ tokens }) => {
        for (const [at, token] of tokens.entries())
          if (token.type === 'th_open' && tokens[at + 1]?.content === '')
            for (const part of [token, tokens[at + 2]]) if (part !== undefined) part.tag = 'td';
      });
      core.ruler.push('lines_of_chinese', ({ tokens }) => {
        for (const { children } of tokens)
          for (const [at, token] of (children ?? []).entries()) {
            if (token.type !== 'softbreak') continue;
            const before = children?.slice(0, at).findLast(({ content }) => content !== '');
            const after = children?.slice(at + 1).find(({ content }) => content !== '');
            if (meetInChinese(before?.content ?? '', after?.content ?? '')) token.type = 'text';
          }
      });
    },
  },
  locales: {
    root: {
      label: 'English',
      lang: 'en',
      description: 'A self-hosted JSON API from model files',
      themeConfig: {
        ...navigation('en'),
        ...editLink('en'),
        outline: { level: [2, 3] },
        docFooter: { prev: 'Previous', next: 'Next' },
      },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '由模型文件生成、自行部署的 JSON API',
      themeConfig: { ...navigation('zh'), ...editLink('zh'), ...chinese },
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: {
      provider: 'local',
      options: {
        locales: { zh: { translations: chineseSearch } },
        miniSearch: { options: { tokenize }, searchOptions: { combineWith: 'AND' } },
      },
    },
  },
});
