import { anyOf, equals, member } from 'gatewright';
import membership from './resources/membership.ts';

/** What the field team_id of a record says of the caller. */
export const inTeam = member('team_id', { of: membership });
export const editsTeam = member('team_id', { of: membership, where: { role: ['editor', 'owner'] } });

/** Projects that the caller reads, and with them what is in these. */
export const readable = anyOf(inTeam, equals('visibility', 'public'));
