import { credentials } from './credentials.js';

/** @type {Record<string, string>} */
const heldTexts = { 'zh-CN': '后台会话：', en: 'Session: ' };

/**
 * The cookie of the administration area: the browser holds it, the page only knows whose it is.
 * @type {import('./ways.js').MakeWay}
 */
export const sessionWay = ({ name, label }, { language, document }) => {
  const cookie = String(document.components?.securitySchemes?.[name]?.name ?? 'gatewright_session');
  return {
    name,
    label: label[language] ?? name,
    slot: name,
    variables: [],
    heldText: ({ value }) => heldTexts[language] + value,
    headers: () => ({}),
    // The cookie goes along only where it is the method, so that no other is mistaken for it.
    credentials: 'same-origin',
    signIn: { operation: 'createSession', keep: (data) => credentials.set(name, String(data.username)) },
    samples: ({ url }) => {
      const { origin } = new URL(url);
      return {
        curl: { options: [`--cookie "${cookie}=$SESSION"`, `--header 'Origin: ${origin}'`] },
        script: { headers: [`'Cookie': \`${cookie}=\${process.env.SESSION}\``, `'Origin': '${origin}'`] },
        client: { headers: [`Cookie: \`${cookie}=\${process.env.SESSION}\``, `Origin: '${origin}'`] },
        python: {
          imports: ['os'],
          headers: [`'Cookie': '${cookie}=' + os.environ["SESSION"]`, `'Origin': '${origin}'`],
        },
      };
    },
  };
};
