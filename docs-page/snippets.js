import { choicesOf, typesOf } from './description.js';
import { base, requestOf } from './request.js';

/** The same call in several languages. Credentials are named, never shown; a signature is computed where it is needed. */

/**
 * @typedef {import('./request.js').Request} Request
 * @typedef {import('./description.js').Schema} Schema
 * @typedef {{ request: Request, method: string | undefined, data: Schema | undefined, isEnvelope: boolean, cookie: string, resolve: (part: any) => any }} Sample
 */

/**
 * What the samples of an operation are made of.
 * @param {import('./description.js').Operation} operation @param {import('./request.js').Form} form
 * @param {string} cookie @param {(part: any) => any} resolve @returns {Sample}
 */
export const sampleFor = (operation, form, cookie, resolve) => {
  const success = operation.replies.find(({ status }) => status < 300);
  const properties = success?.schema?.['properties'];
  return {
    request: requestOf(operation, form),
    method: form.method,
    data: properties?.data,
    isEnvelope: properties?.code !== undefined,
    cookie,
    resolve,
  };
};

/** One word of a POSIX shell. @param {string} text */
export const shellWord = (text) =>
  /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** @param {string} text */
const pythonText = (text) =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\r', '\\r').replaceAll('\n', '\\n')}'`;

/** @param {string} text single-quoted, as scripts are commonly written */
const scriptText = (text) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** Environment variables that hold the credentials of a method. @type {Record<string, [string, string][]>} */
const secrets = {
  jwt: [['Authorization', 'TOKEN']],
  bearer: [['Authorization', 'TOKEN']],
  api_key: [['X-Api-Key', 'API_KEY']],
};

/** @param {string} header */
const prefixOf = (header) => (header === 'Authorization' ? 'Bearer ' : '');

/** @param {Sample} sample */
const curl = ({ request, method, cookie }) => {
  const { url, headers, body } = request;
  const lines = [`curl --request ${request.method} ${shellWord(url)}`];
  for (const [name, value] of Object.entries(headers))
    lines.push(`--header ${shellWord(`${name}: ${value}`)}`);
  for (const [name, variable] of secrets[method ?? ''] ?? [])
    lines.push(`--header "${name}: ${prefixOf(name)}$${variable}"`);
  if (method === 'session')
    lines.push(`--cookie "${cookie}=$SESSION"`, `--header 'Origin: ${new URL(url).origin}'`);
  if (method !== 'signature') {
    if (body !== undefined) lines.push(`--data-raw ${shellWord(body)}`);
    return lines.join(' \\\n  ');
  }
  lines.push(
    '--header "X-App-Id: $APP_ID"',
    '--header "X-Timestamp: $timestamp"',
    '--header "X-Signature: $signature"',
  );
  if (body !== undefined) lines.push('--data-raw "$body"');
  return [
    `body=${shellWord(body ?? '')}`,
    'timestamp=$(date +%s)',
    `signature=$(printf '%s\\n%s' "$timestamp" "$body" | openssl dgst -sha256 -hmac "$API_SECRET" | sed 's/^.* //')`,
    lines.join(' \\\n  '),
  ].join('\n');
};

/** A body that is JSON is written as a value, any other as a text. @param {string} body */
const scriptBody = (body) => {
  try {
    return `JSON.stringify(${JSON.stringify(JSON.parse(body), null, 2)})`;
  } catch {
    return scriptText(body);
  }
};

/** @param {Sample} sample @returns {string[]} lines of the headers */
const scriptHeaders = ({ request, method, cookie }) => {
  const lines = Object.entries(request.headers).map(([name, value]) => `'${name}': ${scriptText(value)}`);
  for (const [name, variable] of secrets[method ?? ''] ?? [])
    lines.push(
      name === 'Authorization'
        ? `'${name}': \`Bearer \${process.env.${variable}}\``
        : `'${name}': process.env.${variable}`,
    );
  if (method === 'session')
    lines.push(
      `'Cookie': \`${cookie}=\${process.env.SESSION}\``,
      `'Origin': '${new URL(request.url).origin}'`,
    );
  if (method === 'signature')
    lines.push("'X-App-Id': process.env.APP_ID", "'X-Timestamp': timestamp", "'X-Signature': signature");
  return lines;
};

/** @param {Sample} sample */
const javaScript = (sample) => {
  const { request, method, data, isEnvelope } = sample;
  const lines = [];
  if (method === 'signature')
    lines.push(
      '// On a server only: the secret must never reach a browser.',
      "import { createHmac } from 'node:crypto';",
      '',
    );
  if (request.body !== undefined) lines.push(`const body = ${scriptBody(request.body)};`);
  else if (method === 'signature') lines.push("const body = '';");
  if (method === 'signature')
    lines.push(
      'const timestamp = String(Math.floor(Date.now() / 1000));',
      "const signature = createHmac('sha256', process.env.API_SECRET)",
      `  .update(\`\${timestamp}\\n\${body}\`)`,
      "  .digest('hex');",
    );
  const options = request.method === 'GET' ? [] : [`method: '${request.method}'`];
  const headers = scriptHeaders(sample).map((line) => `    ${line},`);
  if (headers.length > 0) options.push(`headers: {\n${headers.join('\n')}\n  }`);
  if (request.body !== undefined) options.push('body');
  const argument =
    options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},`).join('\n')}\n}`;
  lines.push(`const response = await fetch(${scriptText(request.url)}${argument});`);
  if (!isEnvelope) lines.push('console.log(await response.text());');
  else
    lines.push(
      'const answer = await response.json();',
      `if (answer.code !== 0) throw new Error(\`\${answer.code} \${answer.message}\`);`,
      `console.log(answer.${data === undefined ? 'message' : 'data'});`,
    );
  return lines.join('\n');
};

/** Options of the client that make it the caller. @type {Record<string, string>} */
const clientOptions = {
  jwt: "auth: { token: process.env.TOKEN ?? '' }",
  bearer: "auth: { token: process.env.TOKEN ?? '' }",
  api_key: "auth: { key: process.env.API_KEY ?? '' }",
  signature: 'fetch: signer.fetch',
};

/** A body as a value of the language; one that is no JSON as a text, which is sent as JSON. @param {string} body */
const scriptValue = (body) => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  ');
  } catch {
    return scriptText(body);
  }
};

/** @param {Sample} sample what the client adds by itself is left out */
const clientHeaders = ({ request, method, cookie }) => {
  const lines = Object.entries(request.headers)
    .filter(([name]) => name !== 'Content-Type')
    .map(([name, value]) => `'${name}': ${scriptText(value)}`);
  if (method === 'session')
    lines.push(`Cookie: \`${cookie}=\${process.env.SESSION}\``, `Origin: '${new URL(request.url).origin}'`);
  return lines;
};

/** With the typed client of this package. @param {Sample} sample */
const typeScript = (sample) => {
  const { request, method, data, isEnvelope, resolve } = sample;
  if (!isEnvelope)
    return `const response = await fetch(${scriptText(request.url)});\nconsole.log(await response.text());\n\nexport {};`;
  const signs = method === 'signature';
  const caller = clientOptions[method ?? ''];
  const headers = clientHeaders(sample);
  const options = [
    ...(request.body === undefined ? [] : [`body: ${scriptValue(request.body)}`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
  ];
  const path = scriptText(request.url.slice(base.length));
  const argument = options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line},`).join('\n')}\n}`;
  const type = data === undefined ? '' : '<Data>';
  return [
    "import { createClient } from 'gatewright/client';",
    ...(signs
      ? [
          '// On a server only: the secret must never reach a browser.',
          "import { createSigner } from 'gatewright/client/sign';",
        ]
      : []),
    '',
    ...(data === undefined ? [] : [`type Data = ${typeText(data, resolve, 0)};`, '']),
    ...(signs
      ? [
          'const signer = createSigner({',
          "  appId: process.env.APP_ID ?? '',",
          "  apiSecret: process.env.API_SECRET ?? '',",
          '});',
        ]
      : []),
    `const client = createClient({ baseUrl: ${scriptText(base)}${caller === undefined ? '' : `, ${caller}`} });`,
    `const answer = await client.sendRequest${type}('${request.method}', ${path}${argument});`,
    `console.log(answer.${data === undefined ? 'message' : 'data'});`,
  ].join('\n');
};

/** @param {Sample} sample */
const python = ({ request, method, data, isEnvelope, cookie }) => {
  const { url, body } = request;
  const signs = method === 'signature';
  const known = secrets[method ?? ''] ?? [];
  const imports = isEnvelope ? ['json', 'urllib.request'] : ['urllib.request'];
  if (known.length > 0 || signs || method === 'session') imports.push('os');
  if (signs) imports.push('hashlib', 'hmac', 'time');
  const lines = [...imports.sort().map((name) => `import ${name}`), ''];
  if (body !== undefined || signs) lines.push(`body = ${pythonText(body ?? '')}.encode()`);
  if (signs)
    lines.push(
      'timestamp = str(int(time.time()))',
      'message = timestamp.encode() + b"\\n" + body',
      'signature = hmac.new(os.environ["API_SECRET"].encode(), message, hashlib.sha256).hexdigest()',
    );
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `${pythonText(name)}: ${pythonText(value)}`,
  );
  for (const [name, variable] of known)
    headers.push(
      `'${name}': ${prefixOf(name) === '' ? '' : `'${prefixOf(name)}' + `}os.environ["${variable}"]`,
    );
  if (method === 'session')
    headers.push(`'Cookie': '${cookie}=' + os.environ["SESSION"]`, `'Origin': '${new URL(url).origin}'`);
  if (signs)
    headers.push(`'X-App-Id': os.environ["APP_ID"]`, "'X-Timestamp': timestamp", "'X-Signature': signature");
  lines.push(
    'request = urllib.request.Request(',
    `    ${pythonText(url)},`,
    ...(body === undefined ? [] : ['    data=body,']),
    `    method='${request.method}',`,
    ...(headers.length === 0
      ? []
      : ['    headers={', ...headers.map((line) => `        ${line},`), '    },']),
    ')',
    'with urllib.request.urlopen(request) as response:',
    ...(isEnvelope
      ? ['    answer = json.load(response)', `print(answer['${data === undefined ? 'message' : 'data'}'])`]
      : ['    print(response.read().decode())']),
  );
  return lines.join('\n');
};

/** A schema as a TypeScript type. @param {Schema} part @param {(part: any) => any} resolve @param {number} depth @returns {string} */
const typeText = (part, resolve, depth) => {
  const schema = resolve(part);
  const choices = choicesOf(schema);
  if (choices !== undefined) return [...new Set(choices.map((choice) => literal(choice)))].join(' | ');
  if ('const' in schema) return literal(schema.const);
  const types = typesOf(schema).map((type) => {
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'array') {
      const item = typeText(schema.items ?? {}, resolve, depth);
      return /[|\s]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    return type === 'object' ? objectType(schema, resolve, depth) : String(type);
  });
  return types.length === 0 ? 'unknown' : types.join(' | ');
};

/** @param {unknown} value */
const literal = (value) => (typeof value === 'string' ? scriptText(value) : String(value));

/** @param {Schema} schema @param {(part: any) => any} resolve @param {number} depth @returns {string} */
const objectType = (schema, resolve, depth) => {
  const entries = Object.entries(schema['properties'] ?? {});
  if (entries.length === 0 || depth > 6) return 'Record<string, unknown>';
  const indent = '  '.repeat(depth);
  const lines = entries.map(([name, value]) => {
    const optional = schema['required']?.includes(name) ? '' : '?';
    return `${indent}  ${/^\w+$/.test(name) ? name : scriptText(name)}${optional}: ${typeText(value, resolve, depth + 1)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
};

/** @type {readonly { name: string, make: (sample: Sample) => string }[]} */
export const languages = [
  { name: 'curl', make: curl },
  { name: 'JavaScript', make: javaScript },
  { name: 'TypeScript', make: typeScript },
  { name: 'Python', make: python },
];

/** The command that signs exactly this. @param {string} appId @param {string} timestamp @param {string} body */
export const signCommand = (appId, timestamp, body) =>
  `npx gatewright sign --app ${shellWord(appId === '' ? 'APP_ID' : appId)} --timestamp ${shellWord(timestamp)} --body ${shellWord(body)}`;
