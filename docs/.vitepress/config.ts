import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, barOf, type Language, root, sidebarOf } from './pages.ts';
import { tokenize } from './tokenize.ts';

const navigation = (language: Language) => ({ nav: barOf(language), sidebar: sidebarOf(language) });

/** The words of the site itself in Chinese; VitePress has the English ones. */
const chinese = {
  outline: { level: [2, 3] as [number, number], label: '本页目录' },
  docFooter: { prev: '上一篇', next: '下一篇' },
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
  // Works from every folder of every server.
  base: './',
  title: 'Gatewright',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml;base64,${icon}` }]],
  ignoreDeadLinks: false,
  markdown: {
    anchor: { slugify: anchorOf },
    image: { lazyLoad: true },
    locales: { zh: { codeCopyButton: { tooltipText: '复制代码', copiedText: '已复制' } } },
    config: ({ core, renderer: { rules } }) => {
      // Two braces in inline code are text, not an expression of Vue.
      const { code_inline: render } = rules;
      rules.code_inline = (...token) => (render?.(...token) ?? '').replaceAll('{{', '&#123;&#123;');
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
      themeConfig: { ...navigation('en'), outline: { level: [2, 3] } },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '由模型文件生成、自行部署的 JSON API',
      themeConfig: { ...navigation('zh'), ...chinese },
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
