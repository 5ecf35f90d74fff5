import type { ResourceModel } from '../model/resource.ts';
import type { PermissionEntry } from '../service/roles/entity.ts';

/** The permission entries of models: writes always, reads where they are checked. `checked` as the resource asks. */
export const permissionEntriesOf = (models: Iterable<ResourceModel>): PermissionEntry[] =>
  [...models].flatMap(({ name, rules }) => {
    const writes = rules.permissions !== 'none';
    const entries = ['create', 'update', 'destroy'].map((action) => ({
      model: name,
      action,
      checked: writes,
    }));
    return rules.permissions === 'all'
      ? [...entries, { model: name, action: 'read', checked: true }]
      : entries;
  });
