import { copyButton, fill, h } from './dom.js';
import { highlighted } from './highlight.js';
import { linkTo } from './places.js';
import { languages, sampleFor } from './snippets.js';

/** @typedef {import('./try-view.js').Context} Context */

/** Language of the samples, kept from one operation to the next. */
let chosenLanguage = 'curl';

/** @param {Context} context */
export const samples = ({ operation, resolve, ways, form, t }) => {
  const code = h('pre', { class: 'code sample', tabindex: '0', 'aria-label': t.callIt });
  const tabs = h('div', { class: 'tabs', role: 'group', 'aria-label': t.callIt });
  const update = () => {
    const language = languages.find(({ name }) => name === chosenLanguage) ?? languages[0];
    const text = language?.make(sampleFor(operation, form, ways, resolve)) ?? '';
    fill(code, highlighted(text, language?.name ?? ''));
    fill(
      tabs,
      languages.map(({ name }) =>
        h(
          'button',
          {
            type: 'button',
            'aria-pressed': name === chosenLanguage ? 'true' : 'false',
            onclick: () => {
              chosenLanguage = name;
              update();
            },
          },
          name,
        ),
      ),
    );
  };
  update();
  const variables = new Set([...ways.values()].flatMap((way) => way.variables));
  const named = t.environment + [...variables].join(t.comma) + t.stop;
  const secret = form.method === undefined ? null : h('p', { class: 'hint' }, named);
  const element = h(
    'section',
    { class: 'card samples', 'data-part': 'call', tabindex: '-1' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', {}, t.callIt),
      linkTo({ operation: operation.id, part: 'call' }, t.callIt, t),
      h('span', { class: 'push' }),
      copyButton(t, () => code.textContent ?? ''),
    ),
    tabs,
    code,
    secret,
  );
  return { element, update };
};
