import type { Answer, Call, Endpoint } from '../http/endpoint.ts';
import { JsonText } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Rule } from '../policy/rule.ts';
import type { Entity } from '../records/entity.ts';
import { createShow } from '../records/show.ts';
import { adminAuth, adminTag } from './admin/area.ts';
import { listEndpoint } from './list-endpoint.ts';
import type { Services } from './services.ts';
import { idOf, reachesIn } from './shared.ts';

/** Who reads an entity in the administration area, and which of its rows and fields. */
export const entityPolicy = ({ list, view }: Entity): Rule => ({
  kind: 'administrator',
  ...(list?.own === undefined ? {} : { own: list.own }),
  readable: view,
});

/** Reads one record of an entity as JSON text. @throws Problem `record_not_found` */
export const readEntity = ({ database, clock }: Pick<Services, 'database' | 'clock'>, entity: Entity) => {
  const show = createShow(database, entity, { clock });
  return async (call: Call, key: string | number): Promise<string> => {
    const record = await show(call.grant, key);
    if (record === undefined) throw new Problem('record_not_found');
    return record.json;
  };
};

/** Returns the answer with one record of an entity. @throws Problem `record_not_found` */
export const showEntity = (services: Pick<Services, 'database' | 'clock'>, entity: Entity) => {
  const read = readEntity(services, entity);
  return async (call: Call, key: string | number): Promise<Answer> => ({
    data: new JsonText(await read(call, key)),
  });
};

/** The key of an entity's record in a path. @throws Problem `record_not_found` */
export const keyIn = (call: Call, { key }: Entity): string | number =>
  key === 'id' ? idOf(call) : (call.params[key] ?? '');

const recordEndpoint = (services: Services, entity: Entity, path: string): Endpoint[] => {
  const { record, schema, key } = entity;
  if (record === undefined) return [];
  const { operation, ...words } = record;
  const show = showEntity(services, entity);
  return [
    {
      operation,
      method: 'GET',
      path: `${path}/:${key}`,
      auth: adminAuth,
      policy: entityPolicy(entity),
      accepts: 'nothing',
      docs: { ...words, tag: adminTag, data: schema, problems: ['record_not_found'] },
      handle: (call) => show(call, keyIn(call, entity)),
      reaches: reachesIn(services.database, entity),
    },
  ];
};

/** What serves an entity beside its definition: a line of the registry. */
export interface ServedEntity {
  readonly entity: Entity;
  /** Where the entity changes while the service runs. */
  readonly current?: () => Entity;
  /** Awaited before a list is read: it writes what has happened up to now. */
  readonly flush?: () => Promise<void>;
  /** Endpoints in place of the list that follows from the entity. */
  readonly list?: readonly Endpoint[];
  /** Endpoints beside its list and its record. */
  readonly commands?: readonly Endpoint[];
}

const listOf = (services: Services, { entity, current, flush }: ServedEntity): Endpoint[] => {
  const { list, schema } = entity;
  if (list === undefined) return [];
  const { path, order, own: _own, operation, ...words } = list;
  const endpoint = listEndpoint(services, current ?? entity, {
    operation,
    path,
    auth: adminAuth,
    policy: entityPolicy(entity),
    docs: { ...words, tag: adminTag, data: schema },
    ...(order === undefined ? {} : { order }),
  });
  return [
    {
      ...endpoint,
      handle: async (call) => {
        await flush?.();
        return endpoint.handle(call);
      },
    },
    ...recordEndpoint(services, entity, path),
  ];
};

/** The list and the records of an entity in the administration area, and its commands. */
export const serveEntity = (services: Services, served: ServedEntity): Endpoint[] => [
  ...(served.list ?? listOf(services, served)),
  ...(served.commands ?? []),
];
