import { copyButton, h, labelled } from './dom.js';
import { now, sentBody } from './request.js';
import { shellWord } from './snippets.js';

/** The way's own texts. */
const words = {
  'zh-CN': {
    intro:
      '签名不在此处设置：api_secret 绝不能进入网页。需要签名的接口会给出待签消息与 gatewright sign 命令，并接收其输出的三个请求头。',
    signing: '签名',
    appId: '应用编号（app_id）',
    timestamp: '时间戳',
    renew: '取当前时间',
    toSign: '待签消息（时间戳、换行、请求体）',
    signWith: '在服务器上运行，用您的 api_secret 签名',
    pasteHeaders: '粘贴命令输出的三个请求头',
    headersUnderstood: '三个请求头齐全。',
    headersWrong: '需要 X-App-Id、X-Timestamp、X-Signature 各一行。',
    headersOld: '时间戳与上方不同：签名覆盖的是另一条消息。',
    headersStale: '时间戳相差超过 300 秒，服务器会拒绝。请取当前时间后重新签名。',
  },
  en: {
    intro:
      'Signatures are not set up here: an api_secret must never enter a page. A signed operation shows the message to sign and the gatewright sign command, and takes the three headers that it prints.',
    signing: 'Signature',
    appId: 'Application (app_id)',
    timestamp: 'Timestamp',
    renew: 'Now',
    toSign: 'Message to sign (timestamp, line feed, body)',
    signWith: 'Run this where your api_secret is',
    pasteHeaders: 'Paste the three headers that it prints',
    headersUnderstood: 'All three headers are there.',
    headersWrong: 'X-App-Id, X-Timestamp and X-Signature are needed, a line each.',
    headersOld: 'The timestamp is not the one above: another message was signed.',
    headersStale:
      'The timestamp is more than 300 seconds off and will be refused. Take a new timestamp and sign again.',
  },
};

/** @typedef {(typeof words)['en']} Words */

/** The three headers of a signed request, in any order and case, as `gatewright sign` prints them. @param {string} text */
const parseSigned = (text) => {
  const found = new Map();
  for (const line of text.split('\n')) {
    const match = /^\s*(x-app-id|x-timestamp|x-signature)\s*:\s*(\S+)\s*$/i.exec(line);
    if (match !== null) found.set(String(match[1]).toLowerCase(), String(match[2]));
  }
  const [appId, timestamp, signature] = ['x-app-id', 'x-timestamp', 'x-signature'].map((name) =>
    found.get(name),
  );
  if (appId === undefined || timestamp === undefined || signature === undefined) return undefined;
  return { appId, timestamp, signature };
};

/** The flaw of pasted headers, or that there is none. @param {{ signed: string, timestamp: string }} asked @param {Words} t */
const signedWord = ({ signed, timestamp }, t) => {
  const headers = parseSigned(signed);
  if (signed.trim() === '') return '';
  if (headers === undefined) return t.headersWrong;
  if (Math.abs(Number(headers.timestamp) - Number(now())) > 300) return t.headersStale;
  return headers.timestamp === timestamp ? t.headersUnderstood : t.headersOld;
};

/** The command that signs exactly this. @param {string} appId @param {string} timestamp @param {string} body */
const signCommand = (appId, timestamp, body) =>
  `npx gatewright sign --app ${shellWord(appId === '' ? 'APP_ID' : appId)} --timestamp ${shellWord(timestamp)} --body ${shellWord(body)}`;

/**
 * How to sign this request elsewhere, and the place for the headers. The message is what the form says at this moment.
 * @param {import('./try-view.js').Context} context @param {Words} t
 */
const signing = (context, t) => {
  const { operation, form } = context;
  const asked = { appId: '', timestamp: now(), signed: '', ...form.asked };
  form.asked = asked;
  const body = () => (operation.body === undefined ? '' : sentBody(operation, form));
  const message = h('pre', { class: 'message' });
  const command = h('pre', { class: 'command' });
  const word = h('p', { class: 'hint', role: 'status' });
  const stamp = h('input', { inputmode: 'numeric', value: asked.timestamp });
  const update = () => {
    message.textContent = `${asked.timestamp}\n${body()}`;
    command.textContent = signCommand(asked.appId, asked.timestamp, body());
    word.textContent = signedWord(asked, t);
  };
  /** @param {'appId' | 'timestamp' | 'signed'} name */
  const set = (name) => (/** @type {any} */ event) => {
    asked[name] = name === 'signed' ? event.target.value : event.target.value.trim();
    update();
  };
  stamp.addEventListener('input', set('timestamp'));
  const renew = () => {
    asked.timestamp = now();
    stamp.value = asked.timestamp;
    update();
  };
  const paste = h('textarea', {
    rows: '3',
    spellcheck: 'false',
    autocomplete: 'off',
    oninput: set('signed'),
    placeholder: 'X-App-Id: …\nX-Timestamp: …\nX-Signature: …',
  });
  paste.value = asked.signed;
  update();
  const element = h(
    'fieldset',
    { class: 'signing' },
    h('legend', {}, t.signing),
    labelled(
      t.appId,
      h('input', { value: asked.appId, oninput: set('appId'), autocomplete: 'off', spellcheck: 'false' }),
    ),
    h(
      'div',
      { class: 'beside' },
      labelled(t.timestamp, stamp),
      h('button', { type: 'button', class: 'small', onclick: renew }, t.renew),
    ),
    h('h3', {}, t.toSign),
    message,
    copyButton(context.t, () => message.textContent ?? ''),
    h('h3', {}, t.signWith),
    command,
    copyButton(context.t, () => command.textContent ?? ''),
    labelled(t.pasteHeaders, paste),
    word,
  );
  return { element, update };
};

/** @type {import('./ways.js').Samples} */
const samples = {
  needsBody: true,
  curl: {
    before: [
      'timestamp=$(date +%s)',
      `signature=$(printf '%s\\n%s' "$timestamp" "$body" | openssl dgst -sha256 -hmac "$API_SECRET" | sed 's/^.* //')`,
    ],
    options: [
      '--header "X-App-Id: $APP_ID"',
      '--header "X-Timestamp: $timestamp"',
      '--header "X-Signature: $signature"',
    ],
  },
  script: {
    top: [
      '// On a server only: the secret must never reach a browser.',
      "import { createHmac } from 'node:crypto';",
      '',
    ],
    before: [
      'const timestamp = String(Math.floor(Date.now() / 1000));',
      "const signature = createHmac('sha256', process.env.API_SECRET)",
      `  .update(\`\${timestamp}\\n\${body}\`)`,
      "  .digest('hex');",
    ],
    headers: ["'X-App-Id': process.env.APP_ID", "'X-Timestamp': timestamp", "'X-Signature': signature"],
  },
  client: {
    imports: [
      '// On a server only: the secret must never reach a browser.',
      "import { createSigner } from 'gatewright/client/sign';",
    ],
    before: [
      'const signer = createSigner({',
      "  appId: process.env.APP_ID ?? '',",
      "  apiSecret: process.env.API_SECRET ?? '',",
      '});',
    ],
    option: 'fetch: signer.fetch',
  },
  python: {
    imports: ['hashlib', 'hmac', 'os', 'time'],
    before: [
      'timestamp = str(int(time.time()))',
      'message = timestamp.encode() + b"\\n" + body',
      'signature = hmac.new(os.environ["API_SECRET"].encode(), message, hashlib.sha256).hexdigest()',
    ],
    headers: [`'X-App-Id': os.environ["APP_ID"]`, "'X-Timestamp': timestamp", "'X-Signature': signature"],
  },
};

/**
 * Signed requests. A secret of an application is never asked for: the page shows the message to sign and the command
 * that does, and takes the headers that it prints.
 * @type {import('./ways.js').MakeWay}
 */
export const signatureWay = ({ name, label }, { language }) => {
  const own = language === 'en' ? words.en : words['zh-CN'];
  return {
    name,
    label: label[language] ?? name,
    variables: ['APP_ID', 'API_SECRET'],
    intro: own.intro,
    form: (context) => signing(context, own),
    // A body with more than one line is awkward to sign on a command line.
    oneLineBody: { example: { order_no: 'A-1001', amount: 1999, currency: 'CNY' } },
    headers: ({ asked }) => {
      const signed = parseSigned(asked['signed'] ?? '');
      /** @type {Record<string, string>} */
      const none = {};
      if (signed === undefined) return none;
      return { 'X-App-Id': signed.appId, 'X-Timestamp': signed.timestamp, 'X-Signature': signed.signature };
    },
    samples: () => samples,
  };
};
