import { anyOf, equals, member } from 'gatewright';
import membership from './resources/membership.ts';

/** The record's field team_id names a team of the caller. */
export const inTeam = member('team_id', { of: membership });
export const editsTeam = member('team_id', { of: membership, where: { role: ['editor', 'owner'] } });

/** Projects that the caller reads, with their content. */
export const readable = anyOf(inTeam, equals('visibility', 'public'));
