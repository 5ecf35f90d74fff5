import { choicesOf, typesOf } from './description.js';
import { base, requestOf } from './request.js';

/** The same call in several languages. Credentials are named, never shown; what each method adds comes from its way. */

/**
 * @typedef {import('./request.js').Request} Request
 * @typedef {import('./description.js').Schema} Schema
 * @typedef {{ request: Request, data: Schema | undefined, isEnvelope: boolean, added: import('./ways.js').Samples, resolve: (part: any) => any }} Sample
 */

/**
 * The parts of an operation's samples.
 * @param {import('./description.js').Operation} operation @param {import('./request.js').Form} form
 * @param {import('./ways.js').Ways} ways @param {(part: any) => any} resolve @returns {Sample}
 */
export const sampleFor = (operation, form, ways, resolve) => {
  const request = requestOf(operation, form);
  const success = operation.replies.find(({ status }) => status < 300);
  const properties = success?.schema?.['properties'];
  return {
    request,
    data: properties?.data,
    isEnvelope: properties?.code !== undefined,
    added: ways.get(form.method ?? '')?.samples(request) ?? nothing,
    resolve,
  };
};

/** Of a call without credentials. @type {import('./ways.js').Samples} */
const nothing = { curl: {}, script: {}, client: {}, python: {} };

/** One word of a POSIX shell. @param {string} text */
export const shellWord = (text) =>
  /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** @param {string} text */
const pythonText = (text) =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\r', '\\r').replaceAll('\n', '\\n')}'`;

/** @param {string} text single-quoted, as scripts are commonly written */
const scriptText = (text) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** @param {Sample} sample */
const curl = ({ request, added: { needsBody = false, curl: added } }) => {
  const { url, headers, body } = request;
  const lines = [`curl --request ${request.method} ${shellWord(url)}`];
  for (const [name, value] of Object.entries(headers))
    lines.push(`--header ${shellWord(`${name}: ${value}`)}`);
  lines.push(...(added.options ?? []));
  if (body !== undefined) lines.push(`--data-raw ${needsBody ? '"$body"' : shellWord(body)}`);
  const call = lines.join(' \\\n  ');
  return [...(needsBody ? [`body=${shellWord(body ?? '')}`] : []), ...(added.before ?? []), call].join('\n');
};

/** A body that is JSON is written as a value, any other as a text. @param {string} body */
const scriptBody = (body) => {
  try {
    return `JSON.stringify(${JSON.stringify(JSON.parse(body), null, 2)})`;
  } catch {
    return scriptText(body);
  }
};

/** @param {Sample} sample */
const javaScript = ({ request, data, isEnvelope, added: { needsBody = false, script: added } }) => {
  const lines = [...(added.top ?? [])];
  if (request.body !== undefined) lines.push(`const body = ${scriptBody(request.body)};`);
  else if (needsBody) lines.push("const body = '';");
  lines.push(...(added.before ?? []));
  const options = request.method === 'GET' ? [] : [`method: '${request.method}'`];
  const own = Object.entries(request.headers).map(([name, value]) => `'${name}': ${scriptText(value)}`);
  const headers = [...own, ...(added.headers ?? [])].map((line) => `    ${line},`);
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

/** A body as a value of the language; one that is not JSON as a text, which is sent as JSON. @param {string} body */
const scriptValue = (body) => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  ');
  } catch {
    return scriptText(body);
  }
};

/** Leaves out what the client adds by itself. @param {Request} request */
const clientHeaders = (request) =>
  Object.entries(request.headers)
    .filter(([name]) => name !== 'Content-Type')
    .map(([name, value]) => `'${name}': ${scriptText(value)}`);

/** A variable of the environment may be missing, which TypeScript wants to hear about. @param {string[] | undefined} lines */
const withVariables = (lines = []) =>
  lines.map((line) => line.replaceAll(/process\.env\.\w+/g, (variable) => `(${variable} ?? '')`));

/** The lines that a method adds to a script, for TypeScript. @param {import('./ways.js').Samples['script']} script */
const typed = (script) => ({
  ...script,
  before: withVariables(script.before),
  headers: withVariables(script.headers),
});

/** With the typed client of this package. @param {Sample} sample */
const typeScript = (sample) => {
  const { request, data, isEnvelope, resolve } = sample;
  const added = sample.added.client;
  // The client sends JSON.
  if (request.body !== undefined && request.headers['Content-Type'] !== 'application/json')
    return `${javaScript({ ...sample, added: { ...sample.added, script: typed(sample.added.script) } })}\n\nexport {};`;
  if (!isEnvelope)
    return `const response = await fetch(${scriptText(request.url)});\nconsole.log(await response.text());\n\nexport {};`;
  const { option } = added;
  const headers = [...clientHeaders(request), ...(added.headers ?? [])];
  const options = [
    ...(request.body === undefined ? [] : [`body: ${scriptValue(request.body)}`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
  ];
  const path = scriptText(request.url.slice(base.length));
  const argument = options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line},`).join('\n')}\n}`;
  const type = data === undefined ? '' : '<Data>';
  return [
    "import { createClient } from 'gatewright/client';",
    ...(added.imports ?? []),
    '',
    ...(data === undefined ? [] : [`type Data = ${typeText(data, resolve, 0)};`, '']),
    ...(added.before ?? []),
    `const client = createClient({ baseUrl: ${scriptText(base)}${option === undefined ? '' : `, ${option}`} });`,
    `const answer = await client.sendRequest${type}('${request.method}', ${path}${argument});`,
    `console.log(answer.${data === undefined ? 'message' : 'data'});`,
  ].join('\n');
};

/** @param {Sample} sample */
const python = ({ request, data, isEnvelope, added: { needsBody = false, python: added } }) => {
  const { url, body } = request;
  const imports = isEnvelope ? ['json', 'urllib.request'] : ['urllib.request'];
  imports.push(...(added.imports ?? []));
  const lines = [...imports.sort().map((name) => `import ${name}`), ''];
  if (body !== undefined || needsBody) lines.push(`body = ${pythonText(body ?? '')}.encode()`);
  lines.push(...(added.before ?? []));
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `${pythonText(name)}: ${pythonText(value)}`,
  );
  headers.push(...(added.headers ?? []));
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
