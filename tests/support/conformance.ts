import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/types/index.js';
import type { FieldType } from '../../src/fields/field.ts';
import { fieldTypes } from '../../src/fields/registry.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/kernel/json.ts';

/** A request and its answer, as a client saw them. */
export interface Exchange {
  readonly method: string;
  /** The path with the query string; below the origin. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface Conformance {
  /** The differences from the description, a sentence each; empty when the answer is as described. */
  check(exchange: Exchange): string[];
  /** `operationId status` of what was checked, and of what is described and never was. */
  seen(): readonly string[];
  unseen(): readonly string[];
}

/** Headers that any answer may carry without a word about it. */
const general =
  /^(date|connection|keep-alive|transfer-encoding|content-(length|type|encoding|security-policy)|cache-control|x-content-type-options|strict-transport-security|x-request-id|vary|referrer-policy|x-frame-options|cross-origin-[a-z-]+|access-control-[a-z-]+)$/;

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

const mapValues = (object: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

const keywordsWithSchema = ['items', 'additionalProperties', 'not'];
const keywordsWithSchemas = ['oneOf', 'anyOf', 'allOf'];

/**
 * The record of a list whose caller chose no fields: all are there, but for related records, which are there as far as
 * they were asked for, fields of which all or none are there, and fields that some records hide.
 */
const complete = (schema: Json): Json => {
  const properties = Object.entries(objectOf(objectOf(schema)['properties']));
  const dependent = objectOf(objectOf(schema)['dependentRequired']);
  const own = properties.filter(([name, part]) => {
    const { related, conditional } = objectOf(objectOf(part)['x-gatewright']);
    return dependent[name] === undefined && related === undefined && conditional !== true;
  });
  return { ...objectOf(schema), required: own.map(([name]) => name) };
};

/** A schema that refuses what it does not name. */
const closed = (schema: Json): Json => {
  if (!isJsonObject(schema)) return schema;
  const result: Record<string, Json> = { ...schema };
  if (isJsonObject(schema['properties'])) {
    result['properties'] = mapValues(schema['properties'], (value) => closed(value));
    result['additionalProperties'] = schema['additionalProperties'] ?? false;
  }
  for (const keyword of keywordsWithSchema)
    if (schema[keyword] !== undefined) result[keyword] = closed(schema[keyword]);
  for (const keyword of keywordsWithSchemas) {
    const list = schema[keyword];
    if (Array.isArray(list)) result[keyword] = list.map((each: Json) => closed(each));
  }
  return result;
};

const registerFormats = (ajv: Ajv2020): void => {
  const types: readonly FieldType[] = Object.values(fieldTypes);
  for (const { format } of types) if (format !== undefined) ajv.addFormat(format.name, format.test);
  // Taken with any offset, answered in one form only.
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
};

/** A path as the service understands it: without the origin that a proxy's request has, each segment decoded. */
const plainPath = (asked: string): string => {
  const path = asked.replace(/^[a-z]+:\/\/[^/]*/i, '');
  const segments = path.split('/');
  // A segment that cannot be decoded, or holds a slash then, makes another path than it seems.
  return segments
    .map((segment) => {
      try {
        const plain = decodeURIComponent(segment);
        return plain.includes('/') ? segment : plain;
      } catch {
        return segment;
      }
    })
    .join('/');
};

/** An error is one of the examples of its response: all that there are stand there. */
const undescribedCode = (examples: JsonObject, value: Json): string[] => {
  const codes = Object.values(examples).map((example) => objectOf(objectOf(example)['value'])['code']);
  const { code } = objectOf(value);
  return codes.length === 0 || codes.includes(code) ? [] : [`/code ${String(code)} is not described`];
};

interface Found {
  readonly operation: JsonObject;
  readonly name: string;
}

class DocumentConformance implements Conformance {
  readonly #document: JsonObject;
  readonly #base: string;
  readonly #ajv: Readonly<Record<'whole' | 'partial', Ajv2020>>;
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #paths: readonly { readonly pattern: RegExp; readonly item: JsonObject }[];
  readonly #seen = new Set<string>();

  constructor(document: JsonObject) {
    this.#document = document;
    const [server] = document['servers'] as readonly { readonly url: string }[];
    this.#base = new URL(server?.url ?? 'http://localhost').pathname.replace(/\/$/, '');
    this.#ajv = { whole: this.#compiler(false), partial: this.#compiler(true) };
    // A literal path before one with parameters that fits it as well.
    this.#paths = Object.entries(objectOf(document['paths']))
      .sort(([a], [b]) => a.split('{').length - b.split('{').length)
      .map(([path, item]) => ({
        pattern: new RegExp(
          `^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]*')}$`,
        ),
        item: objectOf(item),
      }));
  }

  #compiler(partial: boolean): Ajv2020 {
    const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true });
    registerFormats(ajv);
    const schemas = objectOf(objectOf(this.#document['components'])['schemas']);
    const entries = Object.entries(schemas).map(([name, schema]): [string, Json] => {
      const isWhole = !partial && /ListItem(No\d+)?$/.test(name);
      return [name, closed(isWhole ? complete(schema) : schema)];
    });
    const components = { schemas: Object.fromEntries(entries) };
    ajv.addSchema({ $id: 'https://description.test/', components });
    return ajv;
  }

  /** Follows references as far as they go. */
  #resolve(part: Json | undefined): JsonObject {
    let found = objectOf(part);
    while (typeof found['$ref'] === 'string') {
      const names = found['$ref'].split('/').slice(1);
      found = names.reduce<JsonObject>((inner, name) => objectOf(inner[name]), this.#document);
    }
    return found;
  }

  #find(method: string, asked: string): Found | 'no path' | 'no method' {
    const path = plainPath(asked);
    if (!path.startsWith(this.#base)) return 'no path';
    const below = path.slice(this.#base.length);
    const item = this.#paths.find(({ pattern }) => pattern.test(below))?.item;
    if (item === undefined) return 'no path';
    const names = method === 'HEAD' ? ['get'] : method === 'PUT' ? ['put', 'patch'] : [method.toLowerCase()];
    const name = names.find((each) => item[each] !== undefined);
    if (name === undefined) return 'no method';
    const operation = objectOf(item[name]);
    return { operation, name: String(operation['operationId']) };
  }

  #validate(schema: Json, value: Json, partial: boolean): string[] {
    const key = `${partial} ${JSON.stringify(schema)}`;
    const validate = this.#validators.get(key) ?? this.#compile(schema, partial);
    this.#validators.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  #compile(schema: Json, partial: boolean): ValidateFunction {
    const text = JSON.stringify(closed(schema)).replaceAll('"#/', '"https://description.test/#/');
    return this.#ajv[partial ? 'partial' : 'whole'].compile(JSON.parse(text) as object);
  }

  #checkBody(response: JsonObject, exchange: Exchange, partial: boolean): string[] {
    const { headers, text, method } = exchange;
    const content = objectOf(response['content']);
    if (method === 'HEAD' || Object.keys(content).length === 0)
      return text === '' ? [] : ['a body where none is described'];
    const type = String(headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim();
    const media = content[type ?? ''];
    if (media === undefined) return [`undocumented media type ${type}`];
    if (type !== 'application/json') return [];
    let value: Json;
    try {
      value = JSON.parse(text) as Json;
    } catch {
      return ['the body is no JSON'];
    }
    return [
      ...this.#validate(objectOf(media)['schema'] ?? true, value, partial),
      ...undescribedCode(objectOf(objectOf(media)['examples']), value),
    ];
  }

  #checkHeaders(response: JsonObject, { headers }: Exchange): string[] {
    const described = new Map(
      Object.entries(objectOf(response['headers'])).map(([name, header]) => [
        name.toLowerCase(),
        this.#resolve(header),
      ]),
    );
    const problems: string[] = [];
    for (const name of Object.keys(headers))
      if (headers[name] !== undefined && !general.test(name) && !described.has(name))
        problems.push(`undocumented header ${name}`);
    for (const [name, header] of described) {
      const value = headers[name];
      if (value === undefined) {
        if (header['required'] === true) problems.push(`missing header ${name}`);
      } else if (objectOf(header['schema'])['type'] === 'integer' && !/^\d+$/.test(String(value)))
        problems.push(`header ${name} is no integer: ${String(value)}`);
    }
    return problems;
  }

  /** A request that named no operation, or never became a request. */
  #checkGeneral(exchange: Exchange, reason: string): string[] {
    const responses = objectOf(objectOf(this.#document['x-gatewright'])['generalResponses']);
    const part = responses[String(exchange.status)];
    if (part === undefined) return [`${reason}, and status ${exchange.status} is not described for that`];
    const response = this.#resolve(part);
    return [...this.#checkHeaders(response, exchange), ...this.#checkBody(response, exchange, false)];
  }

  check(exchange: Exchange): string[] {
    const { method, path, status } = exchange;
    if (method === 'OPTIONS' && status === 204) return [];
    const [pathname = '', query = ''] = path.replace(/#.*/, '').split('?');
    const found = this.#find(method, pathname);
    const label = `${method} ${path} ${status}: `;
    const beyond = status === 408 || status === 431;
    if (typeof found === 'string' || beyond)
      return this.#checkGeneral(exchange, String(found)).map((problem) => label + problem);
    // A request line or a header that is none is refused before anybody looks which operation it names.
    if (status === 400 && this.#checkGeneral(exchange, '').length === 0) return [];
    const part = objectOf(found.operation['responses'])[String(status)];
    if (part === undefined) return [`${label}undocumented status of ${found.name}`];
    this.#seen.add(`${found.name} ${status}`);
    const response = this.#resolve(part);
    const isCsv = /^text\/csv\b/.test(String(exchange.headers['content-type']));
    // The other form of a list, which the description tells in words.
    if (isCsv && status === 200 && objectOf(found.operation['x-gatewright'])['csv'] === true)
      return this.#checkHeaders(response, exchange).map((problem) => label + problem);
    const partial = new URLSearchParams(query).has('fields');
    return [
      ...this.#checkHeaders(response, exchange),
      ...this.#checkBody(response, exchange, partial && status === 200),
    ].map((problem) => label + problem);
  }

  seen(): readonly string[] {
    return [...this.#seen].sort();
  }

  unseen(): readonly string[] {
    return Object.values(objectOf(this.#document['paths']))
      .flatMap((item) => Object.values(objectOf(item)))
      .flatMap((operation) => {
        const { operationId, responses } = objectOf(operation);
        return Object.keys(objectOf(responses)).map((status) => `${String(operationId)} ${status}`);
      })
      .filter((name) => !this.#seen.has(name))
      .sort();
  }
}

/** Checks real responses against an API description: status, headers, media type and body, nothing undocumented. */
export const conformance = (document: JsonObject): Conformance => new DocumentConformance(document);
