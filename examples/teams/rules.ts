import { allOf, anyOf, member, own } from 'gatewright';
import membership from './resources/membership.ts';

/** The record's field company_id names a company of the caller. */
export const isMember = member('company_id', { of: membership });
export const isAgent = member('company_id', { of: membership, where: { role: ['agent', 'owner'] } });
export const isOwner = member('company_id', { of: membership, where: { role: 'owner' } });

/** Tickets that the caller reads: agents those of their company, customers their own while they are members. */
export const readsTicket = anyOf(isAgent, allOf(own(), isMember));
