/** The first page: a request on its way through the gates, beside the words. VitePress's own has no `main`. */
import { Content, useData } from 'vitepress';
import { VPLink } from 'vitepress/theme-without-fonts';
import { defineComponent, h } from 'vue';

interface Gate {
  readonly name: string;
  readonly about: string;
  readonly narrows?: boolean;
}

interface Linked {
  readonly link: string;
}

/** The front matter of `home.md`. */
interface FirstPage {
  readonly hero: {
    readonly text: string;
    readonly tagline: string;
    readonly actions: readonly (Linked & { readonly theme: string; readonly text: string })[];
  };
  readonly request: string;
  readonly gates: readonly Gate[];
  readonly features: readonly (Linked & { readonly title: string; readonly details: string })[];
}

const arch = 'M6 21V12a6 6 0 0 1 12 0v9';
const narrowArch = 'M10 21v-7.5a2 2 0 0 1 4 0V21';

const gate = ({ name, about, narrows = false }: Gate) =>
  h('li', { class: { narrows } }, [
    h('svg', { viewBox: '0 0 24 24', width: 24, height: 24, 'aria-hidden': 'true' }, [
      h('path', { d: arch }),
      narrows ? h('path', { d: narrowArch }) : null,
    ]),
    h('span', [h('strong', name), ' ', about]),
  ]);

const hero = ({ hero: { text, tagline, actions }, request, gates }: FirstPage) =>
  h('section', { class: 'home-hero' }, [
    h('div', [
      h('h1', text),
      h('p', { class: 'home-tagline' }, tagline),
      h(
        'p',
        { class: 'home-actions' },
        actions.map((action) =>
          h(VPLink, { class: action.theme, href: action.link }, { default: () => action.text }),
        ),
      ),
    ]),
    h('figure', { class: 'home-trace' }, [h('figcaption', [h('code', request)]), h('ol', gates.map(gate))]),
  ]);

export const home = defineComponent({
  name: 'FirstPage',
  setup: () => {
    const { frontmatter } = useData();
    return () => {
      const page = frontmatter.value as FirstPage;
      return h('main', { class: 'first-page' }, [
        hero(page),
        h(
          'ul',
          { class: 'home-features' },
          page.features.map(({ title, details, link }) =>
            h('li', [h(VPLink, { href: link }, { default: () => title }), h('p', details)]),
          ),
        ),
        h('div', { class: 'home-content vp-doc' }, [h(Content)]),
      ]);
    };
  },
});
