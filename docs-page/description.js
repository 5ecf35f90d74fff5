/** The API description, read: operations in order, references followed. */

/**
 * @typedef {{ [keyword: string]: any }} Schema
 * @typedef {{ name: string, in: 'path' | 'query' | 'header', required?: boolean, description?: string, example?: unknown, schema: Schema }} Parameter
 * @typedef {{ name: string, code: number, message: string, answer: object }} Refusal
 * @typedef {{ status: number, description: string, headers: string[], media: string | undefined, schema: Schema | undefined, refusals: Refusal[] }} Reply
 * @typedef {{
 *   access: string, methods: string[], model?: string, permission?: string, isolation?: boolean | { read?: string, write?: string }, ownership?: boolean,
 *   scope?: string | null, own?: boolean, roles?: string[], restricted?: string[], restricted_unless?: { fields: string[], unless: string }[],
 *   viewed_when?: { fields: string[], when: string }[], shows?: Record<string, string[]>, published?: Record<string, unknown>, or_own?: boolean, manage?: string, also?: string[]
 * }} Access
 * @typedef {{
 *   id: string, method: string, path: string, tag: string, summary: string, description: string | undefined,
 *   parameters: Parameter[], bodyType: string, body: Schema | undefined, replies: Reply[], access: Access,
 *   isAdministrative: boolean
 * }} Operation
 * @typedef {{ name: string, environment?: { label: string, colour: string, ink: string } }} Application
 * @typedef {{ name: string, title: string, description: string, isAdministrative: boolean, operations: Operation[] }} Group
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
        answer: value,
      })),
    };
  };

  /** @param {string} path @param {string} method @param {any} part @returns {Operation} */
  const operation = (path, method, part) => {
    const [bodyType = '', body] = Object.entries(part.requestBody?.content ?? {})[0] ?? [];
    /** @type {Parameter[] | undefined} */
    let parameters;
    /** @type {Reply[] | undefined} */
    let replies;
    return {
      id: String(part.operationId),
      method: method.toUpperCase(),
      path,
      tag: String(part.tags?.[0] ?? ''),
      summary: String(part.summary ?? part.operationId),
      description: part.description,
      // Read when somebody looks: of hundreds of operations most never are.
      get parameters() {
        parameters ??= /** @type {Parameter[]} */ ((part.parameters ?? []).map(resolve));
        return parameters;
      },
      bodyType,
      body: body?.schema,
      get replies() {
        replies ??= Object.entries(part.responses).map(([status, response]) => reply(status, response));
        return replies;
      },
      isAdministrative: path === '/admin' || path.startsWith('/admin/'),
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
  const byTag = Map.groupBy(operations, ({ tag }) => tag);
  /** @type {Group[]} */
  const groups = document.tags.map((/** @type {any} */ tag) => {
    const own = byTag.get(tag.name) ?? [];
    return {
      name: tag.name,
      title: String(tag['x-displayName'] ?? tag.name),
      description: String(tag.description ?? ''),
      isAdministrative: own.length > 0 && own.every((each) => each.isAdministrative),
      operations: own,
    };
  });
  return {
    title: String(document.info.title),
    /** @type {Application} */
    application: document['x-gatewright'].application,
    version: String(document.info.version),
    about: String(document.info.description ?? ''),
    ways,
    groups: groups.filter((group) => group.operations.length > 0),
    operations,
    success: String(document['x-gatewright']?.success ?? ''),
    resolve,
  };
};

/** @typedef {ReturnType<typeof readDescription>} Description */

/** Several types stand as alternatives that say nothing else. @param {Schema} schema @returns {string[]} */
export const typesOf = ({ type, anyOf }) => {
  if (type !== undefined) return [type].flat();
  const isTypes =
    Array.isArray(anyOf) && anyOf.every((each) => /^type(,items)?$/.test(Object.keys(each).join()));
  return isTypes ? anyOf.map((each) => each.type) : [];
};

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
  'time-local': '08:00:00',
  // Valid at every scale: zeros behind the point are taken.
  decimal: '10.00',
};

/** A month from now, at eight o'clock: an end in the past would end what a sample creates. */
const soon = () => `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T08:00:00.000Z`;

/** Texts that many patterns of codes and names match. */
const patterned = [
  ...['AB1234', 'AB-1234', 'A-1001', 'ABC-123', 'abc', 'ABC', 'abc-1', 'abc_1', 'a1b2c3', '12345', '123456'],
  ...['A1', 'AB', 'CN', '1234', '12', '1', 'a', 'A', '+8613800000000', '#1f5f66', '1.0.0', '/abc'],
];

/** A text that a pattern matches, within its length; none where no common one does. @param {Schema} schema */
const patternText = ({ pattern, minLength = 0, maxLength = Infinity }) => {
  const form = new RegExp(pattern, 'u');
  return (
    patterned.find((text) => form.test(text) && text.length >= minLength && text.length <= maxLength) ?? ''
  );
};

/** A plausible text that keeps to the bounds. @param {Schema} schema @param {string} name */
const sampleText = (schema, name) => {
  const known = formats[schema['format'] ?? ''];
  if (known !== undefined) return known;
  if (name.includes('password')) return '';
  if (name === 'email') return formats['email'];
  if (schema['pattern'] !== undefined) return patternText(schema);
  const text = name.replaceAll('_', ' ');
  return text.slice(0, schema['maxLength'] ?? 40).padEnd(schema['minLength'] ?? 0, '.');
};

/** Examples for fields of common names. @type {Record<string, unknown>} */
const known = {
  username: 'ada',
  name: 'Ada',
  account: 'ada',
  title: 'Hello',
  token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9…',
  key: '3f9a1c20****',
  amount: 1999,
  currency: 'CNY',
  order_no: 'A-1001',
};

/** A value of an answer. @param {Schema} part @param {(part: any) => any} resolve @param {string} name @param {number} depth @returns {any} */
const answered = (part, resolve, name, depth) => {
  const schema = resolve(part);
  if ('const' in schema) return schema.const;
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices[0];
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const [type = 'any'] = typesOf(schema);
  if (type === 'array') return depth > 6 ? [] : [answered(schema.items ?? {}, resolve, name, depth + 1)];
  if (type === 'object') {
    const entries = Object.entries(schema.properties ?? {}).filter(
      ([key, value]) =>
        value['x-gatewright']?.related === undefined && (depth < 6 || schema.required?.includes(key)),
    );
    return Object.fromEntries(entries.map(([key, value]) => [key, answered(value, resolve, key, depth + 1)]));
  }
  const { format = '' } = schema;
  if (format.startsWith('date')) return formats[format];
  const value = known[name];
  if (type === 'any') return value ?? null;
  if (typeof value === type) return value;
  return sampleOf(
    { ...schema, pattern: undefined, default: undefined, 'x-default': undefined },
    resolve,
    name,
    depth,
  );
};

/** An answer as the service sends it. @param {Reply} reply @param {Description} description */
export const exampleOf = ({ schema }, { resolve, success }) => {
  const example = answered(schema ?? {}, resolve, '', 0);
  return typeof example === 'object' && example !== null && 'message' in example && example.code === 0
    ? { ...example, message: success }
    : example;
};

/** Whether a value can be made up: it refers to no other record, and is no list of them. @param {string} name @param {Schema} schema */
const isFree = (name, schema) => {
  const [type] = typesOf(schema);
  return type !== undefined && type !== 'object' && type !== 'array' && !/(?:^|_)id$/.test(name);
};

/**
 * The properties of a sample: the required ones, with those of the first alternative; where there are none, those with an
 * example, else one. Optional ones change the effect of a request: a scope, a limit, an owner.
 * @param {Schema} schema @param {(part: any) => any} resolve
 * @returns {[string, any][]}
 */
const sampled = ({ properties = {}, required = [], anyOf = [] }, resolve) => {
  const entries = Object.entries(properties);
  const names = [...required, ...(anyOf[0]?.required ?? [])];
  const needed = entries.filter(([name]) => names.includes(name));
  if (needed.length > 0) return needed;
  const shown = entries.filter(([, part]) => Array.isArray(resolve(part).examples));
  if (shown.length > 0) return shown;
  const one = entries.find(([name, part]) => isFree(name, resolve(part))) ?? entries[0];
  return one === undefined ? [] : [one];
};

/**
 * A list to begin with: a record that would be created within another, none that is there already.
 * @param {Schema} schema @param {(part: any) => any} resolve @param {number} depth
 * @returns {any[]}
 */
const sampleItems = ({ items, minItems = 0 }, resolve, depth) => {
  const { type, properties = {} } = resolve(items);
  if (depth < 6 && minItems > 0 && type !== 'object') return [sampleOf(items, resolve, '', depth + 1)];
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
  const preset = schema.default ?? schema['x-default'];
  if (preset !== undefined) return preset;
  if ('const' in schema) return schema.const;
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices[0];
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const [type] = typesOf(schema);
  if (type === 'object' && depth < 6)
    return Object.fromEntries(
      sampled(schema, resolve).map(([key, value]) => [key, sampleOf(value, resolve, key, depth + 1)]),
    );
  if (schema.format === 'date-time') return soon();
  if (schema.format === 'date') return soon().slice(0, 10);
  if (type === 'array') return sampleItems(schema, resolve, depth);
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number')
    return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Infinity);
  return type === 'string' ? sampleText(schema, name) : null;
};
