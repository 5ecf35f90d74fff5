/** Types of optional endpoints of the service, as text for a generated client. */

import { withIdTypes } from '../fields/keys.ts';
import type { Endpoint, ListField } from '../http/endpoint.ts';
import { labelText } from '../kernel/messages.ts';
import { conditionType, sortedType } from './client-relations.ts';
import { textCode } from './scaffold/code.ts';
import { objectType, typeOf } from './schema-type.ts';

/** Language of the comments, as of the generated code. */
const locale = 'en';

const indent = '    ';

const prefix = '/api/v1';

/** Optional endpoints of the service, by the member of a client that calls them. */
const groups = [
  { name: 'webhooks', path: `${prefix}/webhooks`, what: 'The webhooks of the caller' },
] as const;

type OperationGroup = (typeof groups)[number];

const byMethod: Readonly<Record<string, string>> = { GET: 'get', PATCH: 'update', DELETE: 'delete' };

/**
 * The name of a call: the last part of its path (`rotate`, `deliveries`, `delivery` for a parameter), or the operation
 * on the records of the group.
 */
const nameOf = (group: OperationGroup, { method, path, docs }: Endpoint): string => {
  const [first, ...behind] = path.slice(group.path.length).split('/').filter(Boolean);
  const last = behind.at(-1);
  if (last !== undefined) return last.replace(/^:/, '');
  if (first !== undefined) return byMethod[method] ?? method.toLowerCase();
  return docs.list === true ? 'list' : 'create';
};

const idsOf = (path: string): readonly string[] => [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => id);

const filterOf = (fields: readonly ListField[], textIds: boolean): string => {
  const conditions = fields
    .filter(({ operators }) => operators.length > 0)
    .map(
      ({ name, value, operators }) =>
        `${indent}  readonly ${name}?: ${conditionType(typeOf(withIdTypes(value, textIds)), operators)};\n`,
    );
  return `{\n${conditions.join('')}${indent}}`;
};

/** Types of records that calls before have, and whether ids of records may be texts. */
interface Naming {
  readonly known: ReadonlyMap<Endpoint['docs']['data'], string>;
  readonly textIds: boolean;
}

/** The type of the result. Records that an earlier call returns too have the type of that call. */
const answerOf = ({ docs: { data } }: Endpoint, { known, textIds }: Naming): string =>
  data === undefined ? 'undefined' : (known.get(data) ?? typeOf(withIdTypes(data, textIds), indent));

const membersOf = (endpoint: Endpoint, naming: Naming): string[] => {
  const { textIds } = naming;
  const { path, accepts, bodyKey, input = {}, docs } = endpoint;
  const ids = `ids: [${idsOf(path)
    .map((id) => `${id}: number`)
    .join(', ')}];`;
  const answer = answerOf(endpoint, naming);
  if (docs.list === true) {
    const fields = docs.listFields ?? [];
    const sorts = fields.filter(({ sortable }) => sortable).map(({ name }) => name);
    return [
      ids,
      `listed: ${answer};`,
      `filter: ${filterOf(fields, textIds)};`,
      `sort: ${sortedType(sorts)};`,
    ];
  }
  if (accepts === 'nothing') return [ids, `answer: ${answer};`];
  // Values of a record are always sent: without any, nothing would be changed.
  const mark = bodyKey === undefined && input['required'] === undefined ? '?' : '';
  return [ids, `body${mark}: ${objectType(withIdTypes(input, textIds), indent)};`, `answer: ${answer};`];
};

const entryOf = (name: string, { method, path, accepts, bodyKey, docs }: Endpoint): string => {
  const members = [`method: ${textCode(method)}`, `path: ${textCode(path.slice(prefix.length))}`];
  if (accepts !== 'nothing') members.push('body: true');
  if (bodyKey !== undefined) members.push(`key: ${textCode(bodyKey)}`);
  if (docs.list === true) members.push('list: true');
  return `  ${name}: { ${members.join(', ')} },`;
};

const groupPart = (group: OperationGroup, endpoints: readonly Endpoint[], textIds: boolean): string => {
  const type = group.name.charAt(0).toUpperCase() + group.name.slice(1);
  const calls = endpoints.map((endpoint) => ({ name: nameOf(group, endpoint), endpoint }));
  const known = new Map<Endpoint['docs']['data'], string>();
  const shapes = calls.map(({ name, endpoint }) => {
    const { data, summary, list } = endpoint.docs;
    const lines = membersOf(endpoint, { known, textIds }).map((member) => `${indent}${member}\n`);
    if (data !== undefined && !known.has(data))
      known.set(data, `${type}['${name}']['${list === true ? 'listed' : 'answer'}']`);
    return `  /** ${labelText(summary, locale)} */\n  ${name}: {\n${lines.join('')}  };`;
  });
  return `
/** ${group.what}, by the names of the calls: types of their requests and responses. */
export interface ${type} {
${shapes.join('\n')}
}

/** For \`createClient({ baseUrl, auth, ${group.name} })\`. */
export const ${group.name}: { readonly [Name in keyof ${type}]: OperationName<${type}[Name]> } = {
${calls.map(({ name, endpoint }) => entryOf(name, endpoint)).join('\n')}
};
`;
};

/**
 * The part of a client's file with optional endpoints of the service, as far as this application has them.
 * @param textIds whether a model has another key than integers
 */
export const operationsPart = (endpoints: readonly Endpoint[], textIds: boolean): string =>
  groups
    .map((group) => ({
      group,
      own: endpoints.filter(({ path }) => path === group.path || path.startsWith(`${group.path}/`)),
    }))
    .filter(({ own }) => own.length > 0)
    .map(({ group, own }) => groupPart(group, own, textIds))
    .join('');
