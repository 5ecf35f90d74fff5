/** Every option as JSON Schema, made of the interfaces that the tables of the reference are made of. */

import ts from 'typescript';
import { variables } from '../src/app/variables.ts';
import { apiMethodNames } from '../src/auth/registry.ts';
import { choiceColours } from '../src/fields/colours.ts';
import { keyKinds } from '../src/fields/keys.ts';
import { type FieldKind, fieldKinds } from '../src/fields/registry.ts';
import { problemTable } from '../src/kernel/problem-table.ts';
import { iconNames } from '../src/model/describe.ts';
import { actions } from '../src/model/resource.ts';
import { bodyKinds } from '../src/resources/application-endpoints.ts';
import { interfacesIn, type MemberDocs, membersOf } from './reference-types.ts';

type Schema = { readonly [keyword: string]: unknown };

const interfaces = interfacesIn([
  'app/application.ts',
  'accounts/account-options.ts',
  'accounts/oidc/provider-options.ts',
  'accounts/sessions/session-options.ts',
  'auth/rate-limit.ts',
  'delivery/jobs/define-job.ts',
  'delivery/mail/mail-options.ts',
  'model/definition.ts',
  'model/hooks.ts',
  'model/relation.ts',
  'model/row-rule.ts',
  'resources/application/define-endpoint.ts',
  'resources/application/endpoint-body.ts',
  ...['field', 'values', ...fieldKinds].map((file) => `fields/${file}.ts`),
]);

/** A value that JSON cannot hold: code, or what a function of the package returns. */
const made = (by: string, type?: string): Schema => ({ type, 'x-made-by': by });

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const code = made('a function');
/** A condition, whose content is no property that JSON would see. */
const condition: Schema = { ...made('own, member, equals, via, anyOf or allOf', 'object'), maxProperties: 0 };
const fields: Schema = { type: 'object', additionalProperties: made('field', 'object') };
const oneOf = (...values: readonly unknown[]): Schema => ({ enum: values });
const methods: Schema = { type: 'array', items: oneOf(...apiMethodNames) };
const label: Schema = { anyOf: [text, { type: 'object', additionalProperties: text }] };

/** Types that the source states with parameters, or declares as something else than an interface. */
const named: Readonly<Record<string, Schema>> = {
  Key: {
    anyOf: [oneOf(...keyKinds), { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 8 }],
  },
  KeyKind: oneOf(...keyKinds),
  Label: label,
  ModelName: made('the name of a model, or a function that returns the model'),
  Fields: fields,
  FieldDefinitions: fields,
  Params: fields,
  Query: fields,
  Relations: { type: 'object', additionalProperties: made('many', 'object') },
  FieldName: text,
  ReadableName: text,
  Value: text,
  NoInfer: text,
  IconName: oneOf(...iconNames),
  ChoiceColour: oneOf(...choiceColours),
  ShownOfUser: text,
  AuthMethods: { ...methods, minItems: 1 },
  ApiMethodName: oneOf(...apiMethodNames),
  HttpMethod: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  Accepts: oneOf(...bodyKinds),
  Said: made('defineResource, or a JSON Schema', 'object'),
  ProblemName: oneOf(...Object.keys(problemTable)),
  MakeProblem: made('defineProblem'),
  RowRule: condition,
  ViewedWhen: { type: 'array', prefixItems: [condition, texts], minItems: 2, maxItems: 2 },
  RestrictedUnless: {
    type: 'object',
    properties: { fields: texts, unless: condition },
    required: ['fields', 'unless'],
    additionalProperties: false,
  },
  TableOption: {
    type: 'object',
    properties: {
      name: text,
      schema: text,
      columns: { type: 'object', additionalProperties: text },
      types: { type: 'object', additionalProperties: text },
      external: oneOf(true),
      readOnly: oneOf(true),
    },
    additionalProperties: false,
  },
  Partial: { type: 'object' },
  Json: {},
  OidcProvider: { ...made('oidc', 'object'), $ref: '#/$defs/OidcOptions' },
  MailOption: { anyOf: [{ $ref: '#/$defs/SmtpOptions' }, oneOf('log'), code] },
  PaymentHook: code,
  MailTemplate: code,
};

/** The names of a mapped type; undefined where they are the application's. */
const keysOf: Readonly<Record<string, readonly string[]>> = { Action: actions };

const mapSchema = (key: string, value: Schema): Schema => {
  const keys = keysOf[key];
  return keys === undefined
    ? { type: 'object', additionalProperties: value }
    : {
        type: 'object',
        properties: Object.fromEntries(keys.map((name) => [name, value])),
        additionalProperties: false,
      };
};

const keywordTypes: ReadonlyMap<ts.SyntaxKind, Schema> = new Map([
  [ts.SyntaxKind.StringKeyword, text],
  [ts.SyntaxKind.NumberKeyword, { type: 'number' }],
  [ts.SyntaxKind.BooleanKeyword, { type: 'boolean' }],
  [ts.SyntaxKind.FunctionType, code],
]);

const literalOf = ({ literal }: ts.LiteralTypeNode): unknown => {
  if (literal.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (literal.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (ts.isStringLiteral(literal)) return literal.text;
  if (ts.isNumericLiteral(literal)) return Number(literal.text);
  throw new Error(`no schema for the literal ${literal.getText()}`);
};

/** Turns types into schemas, and notes the interfaces that they name. */
class Schemas {
  readonly #open: string[] = [];
  readonly #known = new Set<string>();

  /** A reference to the schema of an interface. */
  refer(name: string): Schema {
    if (!this.#known.has(name)) {
      this.#known.add(name);
      this.#open.push(name);
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** The schemas of all interfaces that were named, by their names. */
  definitions(): Readonly<Record<string, Schema>> {
    const found: Record<string, Schema> = {};
    for (let name = this.#open.pop(); name !== undefined; name = this.#open.pop())
      found[name] = this.#object(membersOf(interfaces, name));
    return Object.fromEntries(Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #object(members: readonly MemberDocs[]): Schema {
    const required = members.filter(({ optional }) => !optional).map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(
        members.map((member): [string, Schema] => [member.name, this.#member(member)]),
      ),
      required: required.length === 0 ? undefined : required,
      additionalProperties: false,
    };
  }

  #member({ type, parameters, about }: MemberDocs): Schema {
    const description = about === '' ? undefined : about;
    if (parameters !== undefined) return { description, ...code };
    const { statements } = ts.createSourceFile('type.ts', `type T = ${type}`, ts.ScriptTarget.Latest, true);
    const [declared] = statements;
    if (declared === undefined || !ts.isTypeAliasDeclaration(declared)) throw new Error(`no type: ${type}`);
    return { description, ...this.#type(declared.type) };
  }

  #type(node: ts.TypeNode): Schema {
    const keyword = keywordTypes.get(node.kind);
    if (keyword !== undefined) return keyword;
    if (ts.isParenthesizedTypeNode(node)) return this.#type(node.type);
    if (ts.isTypeOperatorNode(node)) return this.#type(node.type);
    if (ts.isLiteralTypeNode(node)) return oneOf(literalOf(node));
    if (ts.isArrayTypeNode(node)) return { type: 'array', items: this.#type(node.elementType) };
    if (ts.isTupleTypeNode(node)) return this.#tuple(node);
    if (ts.isUnionTypeNode(node)) return this.#union(node);
    if (ts.isTypeReferenceNode(node)) return this.#named(node);
    if (ts.isTypeLiteralNode(node)) return this.#literal(node);
    if (ts.isMappedTypeNode(node) && node.type !== undefined)
      return mapSchema(node.typeParameter.constraint?.getText() ?? '', this.#type(node.type));
    throw new Error(`no schema for the type ${node.getText()}`);
  }

  /** `[Name, ...Name[]]`: a list that is not empty. */
  #tuple({ elements }: ts.TupleTypeNode): Schema {
    const [first] = elements;
    if (first === undefined) throw new Error('no schema for an empty tuple');
    return { type: 'array', items: this.#type(first), minItems: 1 };
  }

  #union({ types }: ts.UnionTypeNode): Schema {
    const literals = types.filter(ts.isLiteralTypeNode);
    const others = types.filter((type) => !ts.isLiteralTypeNode(type)).map((type) => this.#type(type));
    const choice = literals.length === 0 ? [] : [oneOf(...literals.map(literalOf))];
    const all = [...choice, ...others];
    const [only] = all;
    return all.length === 1 && only !== undefined ? only : { anyOf: all };
  }

  #named({ typeName, typeArguments }: ts.TypeReferenceNode): Schema {
    const name = typeName.getText();
    const known = named[name];
    const [first, second] = [...(typeArguments ?? [])];
    if (name === 'Readonly' && first !== undefined) return this.#type(first);
    if (name === 'Record' && second !== undefined)
      return mapSchema(first?.getText() ?? '', this.#type(second));
    // `Strict<Views, ResourceViews<…>>`: the second type is what is allowed.
    if (name === 'Strict' && second !== undefined) return this.#type(second);
    if (name === 'MailOption') this.refer('SmtpOptions');
    if (name === 'OidcProvider') this.refer('OidcOptions');
    if (known !== undefined) return known;
    if (interfaces.has(name)) return this.refer(name);
    throw new Error(`no schema for the type ${name}`);
  }

  #literal({ members }: ts.TypeLiteralNode): Schema {
    const properties = members.filter(ts.isPropertySignature);
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map(({ name, type }) => [name.getText(), type === undefined ? {} : this.#type(type)]),
      ),
      required: properties
        .filter(({ questionToken }) => questionToken === undefined)
        .map(({ name }) => name.getText()),
      additionalProperties: false,
    };
  }
}

const optionsName = (kind: FieldKind): string => {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  return interfaces.has(`${name}Extras`) ? `${name}Extras` : `${name}Options`;
};

const variableSchema = (): Schema => ({
  type: 'object',
  description: 'Environment variables, which the service reads once, at start.',
  properties: Object.fromEntries(
    variables.map(({ name, fallback, meaning }) => [
      name,
      { type: 'string', description: meaning.en, default: fallback === '' ? undefined : fallback },
    ]),
  ),
});

/** Where each group of options belongs. */
const groups: Readonly<Record<string, readonly [of: string, description: string]>> = {
  resource: ['ResourceDefinition', 'defineResource(name, options), in a file of resources/'],
  relation: ['ManyOptions', 'many(model, options), in `relations` of a resource'],
  endpoint: ['EndpointOptions', 'defineEndpoint(options), in a file of endpoints/'],
  job: ['JobDefinition', 'defineJob(options), in a file of jobs/'],
  config: ['ApplicationConfig', 'defineConfig(options), in gatewright.config.ts'],
  provider: ['OidcOptions', 'oidc(options), in `providers` of the configuration'],
};

/** `docs/reference/options.schema.json`. */
export const optionsSchemaFile = (): string => {
  const schemas = new Schemas();
  const described = (of: string, description: string): Schema => ({ description, ...schemas.refer(of) });
  const properties = {
    ...Object.fromEntries(Object.entries(groups).map(([name, [of, about]]) => [name, described(of, about)])),
    field: {
      type: 'object',
      description: 'field.KIND(options), in `fields` of a resource, an endpoint or a job',
      properties: Object.fromEntries(
        fieldKinds.map((kind) => [kind, described(optionsName(kind), `field.${kind}(…)`)]),
      ),
      additionalProperties: false,
    },
    environment: variableSchema(),
  };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Options of Gatewright',
    description:
      'A property for each function of the package, with the schema of its options. `x-made-by` marks values that JSON cannot hold: code, or the result of a function.',
    type: 'object',
    properties,
    additionalProperties: false,
    $defs: schemas.definitions(),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
};
