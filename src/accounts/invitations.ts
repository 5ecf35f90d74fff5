/** The door to invitations. */

export type { InvitationParts } from './invitations/endpoints.ts';
export { invitationEndpoints } from './invitations/endpoints.ts';
export { createInvitationStore } from './invitations/store.ts';
