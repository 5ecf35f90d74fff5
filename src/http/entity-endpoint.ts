/** Makes the endpoints of an entity: list, record, commands and the description for pages. */

import type { Database } from '../database/database.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { JsonSchema } from '../fields/field.ts';
import type { Clock } from '../kernel/clock.ts';
import { type JsonObject, JsonText, withoutUndefined } from '../kernel/json.ts';
import { madeOnce } from '../kernel/made-once.ts';
import { type Catalogue, type Languages, type Locale, labelText } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import { createExecutor, type EntityCommand, ViolationError } from '../ledger/command.ts';
import { labelOf } from '../model/names.ts';
import type { Rule } from '../policy/rule.ts';
import type { Entity } from '../records/entity.ts';
import { createShow } from '../records/show.ts';
import { adminAuth, adminTag } from './administration.ts';
import { actorOf, idOf, reachesIn } from './call.ts';
import type { Answer, Call, Endpoint } from './endpoint.ts';
import { createInput, type Input, refuseInvalid } from './input.ts';
import { languageOf, languageQuery } from './language.ts';
import { type ListParts, listEndpoint } from './list-endpoint.ts';
import { listField } from './list-field.ts';
import { valueSchemas } from './schemas.ts';

/** Policy of an entity in the administration area: its callers, rows and fields. */
export const entityPolicy = ({ list, view }: Entity): Rule => ({
  kind: 'administrator',
  own: list?.own,
  readable: view,
});

/** The entity of a call, where its columns depend on the caller or change while the service runs. */
export type EntityOf = (call: Call) => Entity;

export interface EntityReadParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** Reads one record of an entity as JSON text. @throws Problem `record_not_found` */
export const readEntity = (
  { database, clock }: EntityReadParts,
  entity: Entity,
  entityOf: EntityOf = () => entity,
) => {
  const showOf = madeOnce((of: Entity) => createShow(database, of, { clock }));
  return async (call: Call, key: string | number): Promise<string> => {
    const record = await showOf(entityOf(call))(call.grant, key);
    if (record === undefined) throw new Problem('record_not_found');
    return record.json;
  };
};

/** Returns the answer with one record of an entity. @throws Problem `record_not_found` */
export const showEntity = (services: EntityReadParts, entity: Entity, entityOf?: EntityOf) => {
  const read = readEntity(services, entity, entityOf);
  return async (call: Call, key: string | number): Promise<Answer> => ({
    data: new JsonText(await read(call, key)),
  });
};

/** The key of an entity's record in a path. @throws Problem `record_not_found` */
export const keyIn = (call: Call, { key }: Entity): string | number =>
  key === 'id' ? idOf(call) : (call.params[key] ?? '');

export type EntityParts = EntityCommandParts & ListParts;

const recordEndpoint = (services: EntityParts, served: ServedEntity, path: string): Endpoint[] => {
  const { entity, entityOf, grantsOn } = served;
  const { auth, policy, tag } = placeOf(served);
  const { record, schema, key } = entity;
  if (record === undefined) return [];
  const { operation, ...words } = record;
  const show = showEntity(services, entity, entityOf);
  return [
    {
      grantsOn,
      operation,
      method: 'GET',
      path: `${path}/:${key}`,
      auth,
      policy,
      accepts: 'nothing',
      docs: { ...words, tag, data: schema, problems: ['record_not_found'] },
      handle: (call) => show(call, keyIn(call, entity)),
      reaches: reachesIn(services.database, entity),
    },
  ];
};

/** Place of an entity's commands. */
export interface CommandPlace extends Pick<Endpoint, 'path' | 'auth' | 'policy' | 'grantsOn' | 'rateLimit'> {
  readonly tag: string;
  readonly entityOf?: EntityOf | undefined;
}

const methods: Readonly<Record<string, Endpoint['method']>> = {
  create: 'POST',
  update: 'PATCH',
  remove: 'DELETE',
};

const placeInArea = (entity: Entity): CommandPlace => ({
  path: entity.list?.path ?? `/admin/${entity.name}`,
  auth: adminAuth,
  policy: entityPolicy(entity),
  tag: adminTag,
});

const placeOf = ({
  entity,
  entityOf,
  grantsOn,
  place = placeInArea(entity),
}: ServedEntity): CommandPlace => ({
  ...place,
  entityOf,
  grantsOn,
});

/** An update may leave every field out. */
const inputSchemaOf = ({ verb, refine }: EntityCommand, { schema }: Input): JsonSchema => {
  if (refine !== undefined) return refine(schema);
  const { required: _required, ...optional } = schema;
  return verb === 'update' ? optional : schema;
};

export interface EntityCommandParts extends EntityReadParts {
  readonly catalogue: Catalogue;
}

/** Reads and checks the input of a call. @throws Problem `invalid_record` */
const createReader = (services: EntityCommandParts, command: EntityCommand, input: Input) => {
  const { database: reader } = services;
  const context = { reader, tables: tablesOf(reader) };
  const order = Object.keys(command.input ?? {});
  return async ({ body, grant }: Call, id: number) => {
    const { values, errors } = input.read(body, command.verb === 'update' ? 'update' : 'create');
    const bad = new Set(errors.map(({ field }) => field));
    const sound = Object.fromEntries(Object.entries(values).filter(([name]) => !bad.has(name)));
    const violated = (await command.check?.(sound, { ...context, id, grant })) ?? [];
    const all = [...errors, ...violated.map(({ field, ...violation }) => input.error(field, violation))];
    refuseInvalid(all.sort((one, other) => order.indexOf(one.field) - order.indexOf(other.field)));
    return values;
  };
};

/** A record with further members, as JSON text. */
const extended = (record: string, data: JsonObject | undefined): JsonText =>
  new JsonText(data === undefined ? record : `${record.slice(0, -1)},${JSON.stringify(data).slice(1)}`);

/** The endpoint of a command on records of an entity. */
export const commandEndpoint = (
  services: EntityCommandParts,
  entity: Entity,
  command: EntityCommand,
  { path, tag, entityOf, ...access }: CommandPlace = placeInArea(entity),
): Endpoint => {
  const { database } = services;
  const { verb, operation, summary, description, bodyKey, form, problems } = command;
  const input = command.input && createInput(command.input, services.catalogue);
  const readInput = input && createReader(services, command, input);
  const readRecord = readEntity(services, entity, entityOf);
  const execute = createExecutor(services);
  const named = `/:${entity.key}`;
  const below = command.path ?? (verb === 'create' ? '' : verb in methods ? named : `${named}/${verb}`);
  const namesRecord = below.startsWith(named);
  const data = command.data ?? (verb === 'create' || verb === 'update' ? entity.schema : undefined);

  const dataOf = async (call: Call, key: string | number | undefined, more?: JsonObject) =>
    key === undefined ? more : extended(await readRecord(call, key), more);

  return {
    operation,
    method: command.method ?? methods[verb] ?? 'POST',
    path: path + below,
    ...access,
    accepts: input === undefined ? 'nothing' : form === true ? 'json-or-form' : 'json',
    bodyKey,
    input: input && inputSchemaOf(command, input),
    status: verb === 'create' ? 201 : undefined,
    docs: { summary, description, tag, data, problems },
    handle: async (call) => {
      const { params, grant } = call;
      const key = namesRecord ? keyIn(call, entity) : undefined;
      const id = typeof key === 'number' ? key : 0;
      const values = (await readInput?.(call, id)) ?? {};
      try {
        const made = await execute(command, actorOf(call), { values, id, params, grant });
        const shown = made.key ?? (verb === 'update' ? key : undefined);
        return { message: command.message, data: await dataOf(call, shown, made.data) };
      } catch (error) {
        if (error instanceof ViolationError && input !== undefined)
          refuseInvalid([input.error(error.violation.field, error.violation)]);
        throw error;
      }
    },
    reaches: namesRecord ? reachesIn(database, entity) : undefined,
  };
};

/** An entity with what serves it beside its definition: a line of the registry. */
export interface ServedEntity {
  readonly entity: Entity;
  /** Where it is served, and to whom; in the administration area unless given. */
  readonly place?: CommandPlace | undefined;
  readonly entityOf?: EntityOf | undefined;
  /** Models whose grants decide on its columns. */
  readonly grantsOn?: readonly string[] | undefined;
  /** Awaited before a list is read: it writes what has happened up to now. */
  readonly flush?: () => Promise<void>;
  /** Endpoints in place of the list that follows from the entity. */
  readonly list?: readonly Endpoint[];
  readonly commands?: readonly EntityCommand[];
  /** Endpoints beside its list, its record and its commands. */
  readonly endpoints?: readonly Endpoint[];
}

const listOf = (services: EntityParts, served: ServedEntity): Endpoint[] => {
  const { entity, entityOf, grantsOn, flush } = served;
  const { list, schema } = entity;
  const { auth, policy, tag } = placeOf(served);
  if (list === undefined) return [];
  const { path, order, own: _own, operation, ...words } = list;
  const endpoint = listEndpoint(services, entity, {
    operation,
    path,
    auth,
    policy,
    docs: { ...words, tag, data: schema },
    order,
    sourceOf: entityOf,
  });
  return [
    {
      ...endpoint,
      grantsOn,
      handle: async (call) => {
        await flush?.();
        return endpoint.handle(call);
      },
    },
    ...recordEndpoint(services, served, path),
  ];
};

/** The list and the records of an entity, and its commands. */
export const serveEntity = (services: EntityParts, served: ServedEntity): Endpoint[] => {
  const { entity, list, commands = [], endpoints = [] } = served;
  const place = placeOf(served);
  return [
    ...(list ?? listOf(services, served)),
    ...commands.map((command) => commandEndpoint(services, entity, command, place)),
    ...endpoints,
  ];
};

const { text } = valueSchemas;

const fieldSchema = {
  name: text,
  label: text,
  type: text,
  required: { type: 'boolean' },
  choices: {
    type: 'array',
    items: { type: 'object', properties: { value: text, label: text }, required: ['value', 'label'] },
  },
  operators: { type: 'array', items: text },
  sortable: { type: 'boolean' },
  searchable: { type: 'boolean' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const { choices: _choices, ...everyField } = fieldSchema;

const describedSchema: JsonSchema = {
  title: 'DescribedList',
  type: 'object',
  properties: {
    name: text,
    fields: {
      type: 'array',
      items: { type: 'object', properties: fieldSchema, required: Object.keys(everyField) },
    },
  },
  required: ['name', 'fields'],
};

/** The fields of an entity as pages show them and filter by them. */
export const describeEntity = ({ name, columns, view, fields }: Entity, locale: Locale): JsonObject => ({
  name,
  fields: view.flatMap((each) => {
    const column = columns.get(each);
    if (column === undefined) return [];
    const { type, options } = column;
    const words = Object.entries(fields[each]?.words ?? {});
    const worded = words.map(([value, label]) => ({ value, label: labelText(label, locale) }));
    const choices = type.choices?.(options, locale) ?? (worded.length === 0 ? undefined : worded);
    const { operators, sortable, searchable } = listField(column);
    return [
      withoutUndefined({
        name: each,
        label: labelText(options.label ?? labelOf(each), locale),
        type: type.kind,
        required: options.required === true,
        choices: choices?.map((choice) => ({ ...choice })),
        operators: [...operators],
        sortable,
        searchable,
      }),
    ];
  }),
});

/** Endpoint that describes each list for pages: columns, filters and their words. */
export const describedLists = (
  { languages }: { readonly languages: Languages },
  entities: readonly Entity[],
): Endpoint => ({
  operation: 'describeList',
  method: 'GET',
  path: '/admin/lists/:name',
  auth: adminAuth,
  policy: { kind: 'administrator' },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '列表的字段', en: 'The fields of a list' },
    description: {
      'zh-CN': '页面显示与筛选一个列表（`users`、`api_keys`、`audit` …）所需的一切。',
      en: 'Everything that a page needs to show a list (`users`, `api_keys`, `audit` …) and to filter it.',
    },
    tag: adminTag,
    data: describedSchema,
    query: [languageQuery(languages)],
    problems: ['record_not_found', 'invalid_parameter'],
  },
  handle: (call) => {
    const entity = entities.find(({ name }) => name === call.params['name']);
    if (entity === undefined) throw new Problem('record_not_found');
    const language = languageOf(call, languages);
    return { language, data: describeEntity(entity, language) };
  },
});
