import { adminAuth, adminTag } from '../../http/administration.ts';
import { reachesIn } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { entityPolicy } from '../../http/entity-endpoint.ts';
import { answerList, type ListParts } from '../../http/list-endpoint.ts';
import { listFieldsOf } from '../../http/list-field.ts';
import { Problem } from '../../kernel/problem.ts';
import { createList } from '../../records/list.ts';
import { holderEntity } from '../users/entity.ts';
import { roleEntity } from './entity.ts';
import type { RoleStore } from './store.ts';

export interface RoleHolderParts extends ListParts {
  readonly roles: RoleStore;
}

/** The members of a role, for users who change its rights. */
export const holdersEndpoint = (services: RoleHolderParts): Endpoint => {
  const { database, clock } = services;
  const origin = new URL(services.baseUrl).origin;
  const list = createList(database, holderEntity, { clock });
  const policy = entityPolicy(holderEntity);
  const reaches = reachesIn(database, roleEntity);
  return {
    operation: 'listRoleUsers',
    method: 'GET',
    path: '/admin/roles/:name/users',
    auth: adminAuth,
    policy,
    accepts: 'nothing',
    csv: true,
    docs: {
      summary: { 'zh-CN': '持有角色的用户', en: 'Users who hold a role' },
      tag: adminTag,
      data: holderEntity.schema,
      list: true,
      listFields: listFieldsOf(holderEntity, policy),
      problems: ['record_not_found'],
    },
    handle: async (call) => {
      const { name = '' } = call.params;
      if (!(await services.roles.exists(name))) throw new Problem('record_not_found');
      const grant = call.grant.narrowed({ column: 'role', value: name });
      return answerList(list, call, origin, undefined, { grant });
    },
    reaches,
  };
};
