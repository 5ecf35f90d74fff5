/** The API description, read: operations in order, references followed. */

/**
 * @typedef {{ [keyword: string]: any }} Schema
 * @typedef {{ name: string, in: 'path' | 'query' | 'header', required?: boolean, description?: string, schema: Schema }} Parameter
 * @typedef {{ name: string, code: number, message: string }} Refusal
 * @typedef {{ status: number, description: string, headers: string[], media: string | undefined, schema: Schema | undefined, refusals: Refusal[] }} Reply
 * @typedef {{
 *   access: string, methods: string[], model?: string, permission?: string, isolation?: boolean | { read?: string, write?: string }, ownership?: boolean,
 *   own?: boolean, roles?: string[], restricted?: string[], published?: Record<string, unknown>, also?: string[]
 * }} Access
 * @typedef {{
 *   id: string, method: string, path: string, tag: string, summary: string, description: string | undefined,
 *   parameters: Parameter[], bodyType: string, body: Schema | undefined, replies: Reply[], access: Access
 * }} Operation
 * @typedef {{ name: string, title: string, operations: Operation[] }} Group
 */

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** @param {any} document @param {import('./ways.js').Ways} ways */
export const readDescription = (document, ways) => {
  /** @param {any} part @returns {any} */
  const resolve = (part) => {
    let found = part;
    for (let hops = 0; typeof found?.$ref === 'string' && hops < 16; hops += 1) {
      const names = String(found.$ref).split('/').slice(1);
      found = names.reduce(
        (inner, name) => inner?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
        document,
      );
    }
    return found ?? {};
  };

  /** @param {string} status @param {any} part @returns {Reply} */
  const reply = (status, part) => {
    const response = resolve(part);
    const [media = undefined, content] = Object.entries(response.content ?? {})[0] ?? [];
    const examples = Object.entries(content?.examples ?? {});
    return {
      status: Number(status),
      description: String(response.description ?? ''),
      headers: Object.keys(response.headers ?? {}),
      media,
      schema: content?.schema,
      refusals: examples.map(([name, { value }]) => ({
        name,
        code: Number(value.code),
        message: String(value.message),
      })),
    };
  };

  /** @param {string} path @param {string} method @param {any} part @returns {Operation} */
  const operation = (path, method, part) => {
    const [bodyType = '', body] = Object.entries(part.requestBody?.content ?? {})[0] ?? [];
    return {
      id: String(part.operationId),
      method: method.toUpperCase(),
      path,
      tag: String(part.tags?.[0] ?? ''),
      summary: String(part.summary ?? part.operationId),
      description: part.description,
      parameters: (part.parameters ?? []).map(resolve),
      bodyType,
      body: body?.schema,
      replies: Object.entries(part.responses).map(([status, response]) => reply(status, response)),
      access: part['x-gatewright'] ?? { access: 'public', methods: [] },
    };
  };

  /** @type {Operation[]} */
  const operations = [];
  for (const [path, item] of Object.entries(document.paths))
    for (const method of methods) {
      const part = /** @type {any} */ (item)[method];
      if (part !== undefined) operations.push(operation(path, method, part));
    }
  /** @type {Group[]} */
  const groups = document.tags.map((/** @type {any} */ tag) => ({
    name: tag.name,
    title: String(tag['x-displayName'] ?? tag.name),
    operations: operations.filter((each) => each.tag === tag.name),
  }));
  return {
    title: String(document.info.title),
    version: String(document.info.version),
    about: String(document.info.description ?? ''),
    ways,
    groups: groups.filter((group) => group.operations.length > 0),
    operations,
    resolve,
  };
};

/** @typedef {ReturnType<typeof readDescription>} Description */

/** @param {Schema} schema @returns {string[]} */
export const typesOf = (schema) =>
  schema['type'] === undefined ? [] : Array.isArray(schema['type']) ? schema['type'] : [schema['type']];

/** Choices of an enumeration; null, where it is one, comes last. @param {Schema} schema @returns {unknown[] | undefined} */
export const choicesOf = (schema) => {
  const { enum: values, oneOf } = schema;
  const labelled = Array.isArray(oneOf) && oneOf.every((each) => 'const' in each);
  const choices = Array.isArray(values) ? values : labelled ? oneOf.map((each) => each.const) : undefined;
  return choices?.toSorted((one, other) => Number(one === null) - Number(other === null));
};

/** @type {Record<string, string>} */
const formats = {
  'date-time': '2026-01-31T08:00:00.000Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '3f2b1c9e-8a4d-4e57-9c1b-5d7f0a6e2b34',
};

/** A plausible text that keeps to the bounds. @param {Schema} schema @param {string} name */
const sampleText = (schema, name) => {
  const known = formats[schema['format'] ?? ''];
  if (known !== undefined) return known;
  if (schema['pattern'] !== undefined || name.includes('password')) return '';
  const text = name.replaceAll('_', ' ');
  return text.slice(0, schema['maxLength'] ?? 40).padEnd(schema['minLength'] ?? 0, '.');
};

/**
 * A list to begin with: a record that would be created within another, none that is there already.
 * @param {Schema} schema @param {(part: any) => any} resolve @param {number} depth
 * @returns {any[]}
 */
const sampleItems = ({ items }, resolve, depth) => {
  const { type, properties = {} } = resolve(items);
  if (type !== 'object' || 'id' in properties || Object.keys(properties).length === 0 || depth >= 6)
    return [];
  return [sampleOf(items, resolve, '', depth + 1)];
};

/**
 * A value of a schema, to begin a body with.
 * @param {Schema} part @param {(part: any) => any} resolve @param {string} [name] @param {number} [depth]
 * @returns {any}
 */
export const sampleOf = (part, resolve, name = '', depth = 0) => {
  const schema = resolve(part);
  if (schema.default !== undefined) return schema.default;
  if ('const' in schema) return schema.const;
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices[0];
  const [type] = typesOf(schema);
  if (type === 'object' && depth < 6)
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([key, value]) => [
        key,
        sampleOf(value, resolve, key, depth + 1),
      ]),
    );
  if (type === 'array') return sampleItems(schema, resolve, depth);
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1);
  return type === 'string' ? sampleText(schema, name) : null;
};
