/** The door to roles and the permission table. */

export { permissionCommands, roleCommands } from './roles/commands.ts';
export type { RoleHolderParts } from './roles/endpoints.ts';
export { holdersEndpoint } from './roles/endpoints.ts';
export type { PermissionEntry } from './roles/entity.ts';
export { permissionEntity, permissionEntriesOf, roleEntity } from './roles/entity.ts';
export type { RoleStore } from './roles/store.ts';
export { createRoleStore } from './roles/store.ts';
