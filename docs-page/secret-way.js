import { credentials } from './credentials.js';
import { h, labelled } from './dom.js';

/**
 * A method whose secret goes into one header as it is: all of it follows from the service's description.
 * @param {import('./ways.js').Described & { secret: NonNullable<import('./ways.js').Described['secret']> }} method
 * @param {import('./ways.js').Page} page
 * @returns {import('./ways.js').Way}
 */
export const secretWay = ({ name, label, headers: [header = ''], secret }, { language, t }) => {
  const { option, prefix, variable } = secret;
  const value = () => credentials.get(option)?.value;
  return {
    name,
    label: label[language] ?? name,
    slot: option,
    variables: [variable],
    heldText: ({ value: held, account }) => {
      if (account !== undefined) return t.tokenOf + account;
      return `${secret.held[language]}${secret.recognisable ? t.beginning.replace('{text}', held.slice(0, 8)) : ''}`;
    },
    dialog: (done) =>
      pasteForm(t, secret.label[language] ?? name, (text) => {
        credentials.set(option, text);
        done();
      }),
    headers: () => (value() === undefined ? {} : { [header]: `${prefix}${value()}` }),
    samples: () => ({
      curl: { options: [`--header "${header}: ${prefix}$${variable}"`] },
      script: {
        headers: [
          prefix === ''
            ? `'${header}': process.env.${variable}`
            : `'${header}': \`${prefix}\${process.env.${variable}}\``,
        ],
      },
      client: { option: `auth: { ${option}: process.env.${variable} ?? '' }` },
      python: {
        imports: ['os'],
        headers: [`'${header}': ${prefix === '' ? '' : `'${prefix}' + `}os.environ["${variable}"]`],
      },
    }),
  };
};

/** A field for something that is pasted. @param {import('./texts.js').Texts} t @param {string} label @param {(text: string) => void} take */
const pasteForm = (t, label, take) => {
  const input = h('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    // With or without the word that goes before it in the header.
    const text = input.value.trim().replace(/^[A-Za-z]+\s+/, '');
    if (text !== '') take(text);
    input.value = '';
  };
  return h(
    'form',
    { onsubmit: submit, class: 'beside' },
    labelled(label, input),
    h('button', { type: 'submit' }, t.use),
  );
};
