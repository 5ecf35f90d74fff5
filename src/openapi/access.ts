import type { Endpoint } from '../http/endpoint.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { permissionAction } from '../policy/resource-rule.ts';
import type { ResourceRule, Rule } from '../policy/rule.ts';

/**
 * Who may call an endpoint, for readers of the description: its methods of authentication and its policy. It says what
 * is asked, never of whom it was granted.
 */
export const accessOf = ({ auth, policy, method }: Endpoint): JsonObject => ({
  methods: [...auth],
  ...accessOfRule(policy),
  ...(method === 'PATCH' ? { also: ['PUT'] } : {}),
});

const accessOfRule = (rule: Rule): JsonObject => {
  switch (rule.kind) {
    case 'open':
      return { access: 'public' };
    case 'identified':
      return { access: 'authenticated' };
    case 'user':
      return { access: rule.own === undefined ? 'user' : 'own' };
    case 'isolated':
      return { access: 'user', isolation: true };
    case 'administrator':
      return { access: 'administrator', ...(rule.own === undefined ? {} : { own: true }) };
    case 'roles':
      return { access: 'roles', roles: [...rule.roles] };
    case 'resource':
      return accessOfResource(rule);
  }
};

const accessOfResource = ({ model, action, area }: ResourceRule): JsonObject => {
  const { permissions, isolation, ownership, restricted, publicRead } = model.rules;
  const reads = action === 'list' || action === 'detail';
  if (area === 'api' && reads && publicRead !== undefined) {
    const published = publicRead.map(({ column, value }): [string, Json] => [column, value]);
    return { access: 'public', published: Object.fromEntries(published) };
  }
  const checked = permissions === 'all' || (permissions === 'writes' && !reads);
  const writesFields = action === 'create' || action === 'update';
  return {
    access: area === 'admin' ? 'administrator' : 'authenticated',
    model: model.name,
    ...(checked ? { permission: permissionAction(action) } : {}),
    ...(isolation && action !== 'create' ? { isolation: true } : {}),
    ...(ownership && action === 'create' ? { ownership: true } : {}),
    ...(writesFields && restricted.size > 0 ? { restricted: [...restricted] } : {}),
  };
};
