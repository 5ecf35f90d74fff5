import { copyButton, h, labelled } from './dom.js';
import { now, requestOf } from './request.js';
import { shellWord } from './snippets.js';

/** The way's own texts. */
const words = {
  'zh-CN': {
    signing: 'HTTP 消息签名',
    about:
      '签名覆盖请求方法、完整地址与请求体的摘要，并带有时间与随机的 nonce：内容不可更改，也不能重放。每次发送都会重新签名。',
    appId: '应用编号（app_id）',
    key: 'Ed25519 私钥（PKCS #8，PEM）：由浏览器的 WebCrypto 签名，只保存在页面内存中，不可导出',
    keyHeld: '私钥已导入：发送时签名。',
    keyWrong: '无法导入：需要 PEM 格式（PKCS #8）的 Ed25519 私钥，以及支持它的浏览器。',
    forget: '移除私钥',
    signWith: '或在密钥所在的机器上运行',
    pasteHeaders: '粘贴命令输出的三个请求头（只能使用一次）',
    headersUnderstood: '三个请求头齐全。',
    headersWrong: '需要 Content-Digest、Signature-Input、Signature 各一行。',
  },
  en: {
    signing: 'HTTP message signature',
    about:
      'The signature covers the method, the whole address and a digest of the body, with the time and a random nonce: nothing can be changed, and nothing sent again. Each request has a signature of its own.',
    appId: 'Application (app_id)',
    key: 'Ed25519 private key (PKCS #8 in PEM): WebCrypto signs with it; it stays in the memory of this page and cannot be exported',
    keyHeld: 'The private key is there: requests are signed as they are sent.',
    keyWrong:
      'It cannot be imported: an Ed25519 private key in PEM (PKCS #8) is needed, and a browser that knows it.',
    forget: 'Remove the private key',
    signWith: 'Or run this where the key is',
    pasteHeaders: 'Paste the three headers that it prints (good once)',
    headersUnderstood: 'All three headers are there.',
    headersWrong: 'Content-Digest, Signature-Input and Signature are needed, a line each.',
  },
};

/** @typedef {(typeof words)['en']} Words */

const names = ['Content-Digest', 'Signature-Input', 'Signature'];

const covered = '("@method" "@target-uri" "content-digest")';

/** The key to sign with, for the rest of the page. @type {CryptoKey | undefined} */
let privateKey;

const encoder = new TextEncoder();

/** @param {Uint8Array} bytes */
const base64 = (bytes) => btoa(String.fromCharCode(...bytes));

/** @param {string} pem */
const importKey = (pem) => {
  const text = atob(pem.replaceAll(/-----[^-]+-----|\s/g, ''));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
};

/** @param {CryptoKey} key @param {string} appId @param {import('./request.js').Request} request */
const signed = async (key, appId, { method, url, body }) => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(body ?? '')));
  const contentDigest = `sha-256=:${base64(digest)}:`;
  const parameters = `${covered};created=${now()};nonce="${crypto.randomUUID()}";keyid="${appId}";alg="ed25519"`;
  const message = [
    `"@method": ${method}`,
    `"@target-uri": ${new URL(url).href}`,
    `"content-digest": ${contentDigest}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
  const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', key, encoder.encode(message)));
  return {
    'Content-Digest': contentDigest,
    'Signature-Input': `sig=${parameters}`,
    Signature: `sig=:${base64(signature)}:`,
  };
};

/** The three headers, in any order and case, as `gatewright sign --http` prints them. @param {string} text */
const parseSigned = (text) => {
  /** @type {Record<string, string>} */
  const found = {};
  for (const line of text.split('\n')) {
    const [, given = '', value = ''] = /^\s*([a-z-]+)\s*:\s*(\S.*?)\s*$/i.exec(line) ?? [];
    const name = names.find((each) => each.toLowerCase() === given.toLowerCase());
    if (name !== undefined) found[name] = value;
  }
  return Object.keys(found).length === names.length ? found : undefined;
};

/** @param {string} appId @param {import('./request.js').Request} request */
const signCommand = (appId, { method, url, body }) =>
  `npx gatewright sign --http --app ${shellWord(appId === '' ? 'APP_ID' : appId)} --body ${shellWord(body ?? '')} ${method} ${shellWord(url)}`;

/**
 * A key to sign with, or the command that signs elsewhere and the place for its headers.
 * @param {import('./try-view.js').Context} context @param {Words} t
 */
const signing = (context, t) => {
  const { operation, form } = context;
  const asked = { appId: '', signed: '', ...form.asked };
  form.asked = asked;
  const command = h('pre', { class: 'command' });
  const word = h('p', { class: 'hint', role: 'status' });
  let refused = false;
  const said = () => {
    if (refused) return t.keyWrong;
    if (privateKey !== undefined) return t.keyHeld;
    if (asked.signed.trim() === '') return '';
    return parseSigned(asked.signed) === undefined ? t.headersWrong : t.headersUnderstood;
  };
  const forget = h('button', { type: 'button', class: 'small' }, t.forget);
  const update = () => {
    command.textContent = signCommand(asked.appId, requestOf(operation, form));
    forget.hidden = privateKey === undefined;
    word.textContent = said();
  };
  forget.addEventListener('click', () => {
    privateKey = undefined;
    update();
  });
  /** @param {'appId' | 'signed'} name */
  const set = (name) => (/** @type {any} */ event) => {
    asked[name] = name === 'signed' ? event.target.value : event.target.value.trim();
    update();
  };
  const key = h('textarea', {
    rows: '3',
    spellcheck: 'false',
    autocomplete: 'off',
    placeholder: '-----BEGIN PRIVATE KEY-----',
    oninput: async () => {
      try {
        refused = false;
        if (!key.value.includes('-----END PRIVATE KEY-----')) return;
        privateKey = await importKey(key.value);
        key.value = '';
      } catch {
        refused = true;
      } finally {
        update();
      }
    },
  });
  const paste = h('textarea', {
    rows: '3',
    spellcheck: 'false',
    autocomplete: 'off',
    oninput: set('signed'),
    placeholder: names.map((name) => `${name}: …`).join('\n'),
  });
  paste.value = asked.signed;
  update();
  const element = h(
    'fieldset',
    { class: 'signing' },
    h('legend', {}, t.signing),
    h('p', { class: 'hint' }, t.about),
    labelled(
      t.appId,
      h('input', { value: asked.appId, oninput: set('appId'), autocomplete: 'off', spellcheck: 'false' }),
    ),
    labelled(t.key, key),
    forget,
    h('h3', {}, t.signWith),
    command,
    copyButton(context.t, () => command.textContent ?? ''),
    labelled(t.pasteHeaders, paste),
    word,
  );
  return { element, update };
};

/** @param {import('./request.js').Request} request @returns {import('./ways.js').Samples} */
const samples = ({ method, url }) => {
  const target = new URL(url).href;
  const headers = [
    "'Content-Digest': digest",
    "'Signature-Input': 'sig=' + parameters",
    "'Signature': 'sig=:' + signature + ':'",
  ];
  return {
    needsBody: true,
    curl: {
      before: [
        `digest="sha-256=:$(printf '%s' "$body" | openssl dgst -sha256 -binary | openssl base64 -A):"`,
        `parameters='${covered};created='$(date +%s)';nonce="'$(openssl rand -hex 16)'";keyid="'$APP_ID'"'`,
        `signature=$(printf '"@method": %s\\n"@target-uri": %s\\n"content-digest": %s\\n"@signature-params": %s' \\`,
        `  ${method} ${shellWord(target)} "$digest" "$parameters" |`,
        '  openssl dgst -sha256 -hmac "$API_SECRET" -binary | openssl base64 -A)',
      ],
      options: [
        '--header "Content-Digest: $digest"',
        '--header "Signature-Input: sig=$parameters"',
        '--header "Signature: sig=:$signature:"',
      ],
    },
    script: {
      top: [
        '// On a server only: the secret must never reach a browser.',
        "import { createHash, createHmac, randomUUID } from 'node:crypto';",
        '',
      ],
      before: [
        "const digest = 'sha-256=:' + createHash('sha256').update(body).digest('base64') + ':';",
        'const created = Math.floor(Date.now() / 1000);',
        `const parameters = \`${covered};created=\${created};nonce="\${randomUUID()}";keyid="\${process.env.APP_ID}"\`;`,
        'const message = [',
        `  '"@method": ${method}',`,
        `  '"@target-uri": ${target.replaceAll("'", "\\'")}',`,
        `  '"content-digest": ' + digest,`,
        `  '"@signature-params": ' + parameters,`,
        "].join('\\n');",
        "const signature = createHmac('sha256', process.env.API_SECRET).update(message).digest('base64');",
      ],
      headers,
    },
    client: {
      imports: [
        '// On a server only: the secret must never reach a browser.',
        "import { createHttpSigner } from 'gatewright/client/sign';",
      ],
      before: [
        'const signer = createHttpSigner({',
        "  appId: process.env.APP_ID ?? '',",
        "  apiSecret: process.env.API_SECRET ?? '',",
        '});',
      ],
      option: 'fetch: signer.fetch',
    },
    python: {
      imports: ['base64', 'hashlib', 'hmac', 'os', 'time', 'uuid'],
      before: [
        'digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"',
        `parameters = f'${covered};created={int(time.time())};nonce="{uuid.uuid4()}";keyid="{os.environ["APP_ID"]}"'`,
        'message = "\\n".join([',
        `    '"@method": ${method}',`,
        `    '"@target-uri": ${target.replaceAll("'", "\\'")}',`,
        `    f'"content-digest": {digest}',`,
        `    f'"@signature-params": {parameters}',`,
        '])',
        'mac = hmac.new(os.environ["API_SECRET"].encode(), message.encode(), hashlib.sha256)',
        'signature = base64.b64encode(mac.digest()).decode()',
      ],
      headers: [
        "'Content-Digest': digest",
        "'Signature-Input': f'sig={parameters}'",
        "'Signature': f'sig=:{signature}:'",
      ],
    },
  };
};

/**
 * HTTP message signatures. A private key signs in the page, where it is imported so that nothing can read it again. A
 * secret of an application is never asked for: the page shows the command that signs with it.
 * @type {import('./ways.js').MakeWay}
 */
export const httpSignatureWay = ({ name, label }, { language }) => {
  const own = language === 'en' ? words.en : words['zh-CN'];
  return {
    name,
    label: label[language] ?? name,
    variables: ['APP_ID', 'API_SECRET'],
    form: (context) => signing(context, own),
    headers: ({ asked }, request) =>
      privateKey === undefined
        ? (parseSigned(asked['signed'] ?? '') ?? {})
        : signed(privateKey, asked['appId'] ?? '', request),
    samples,
  };
};
