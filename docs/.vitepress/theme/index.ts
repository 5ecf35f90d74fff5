// Without its fonts: pages are set in those of the documentation page (`fonts.css`).
import theme from 'vitepress/theme-without-fonts';
import type { App } from 'vue';
import { home } from './home.ts';
import './style.css';
import './home.css';

export default {
  ...theme,
  enhanceApp(context: { readonly app: App }) {
    theme.enhanceApp?.(context as Parameters<NonNullable<typeof theme.enhanceApp>>[0]);
    // A layout of this name takes the place of VitePress's own.
    context.app.component('home', home);
  },
};
