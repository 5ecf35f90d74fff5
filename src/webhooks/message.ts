import { identifiedUser } from '../auth/identified-user.ts';
import type { IdentityStore } from '../auth/ports.ts';
import { type Principal, takes } from '../auth/principal.ts';
import { methodsNamed } from '../auth/registry.ts';
import { viewEvents } from '../events/event-view.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { type AreaRules, grantsOfRelated, relatedFor } from '../operations/area.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { EventLog } from '../service/events/event-log.ts';

export interface MessageParts {
  readonly events: EventLog;
  readonly models: Models;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly identities: Pick<IdentityStore, 'byUserId'>;
  /** Rules by which the acting user reads records: those of the API. */
  readonly area: AreaRules;
}

/**
 * The reason why nothing is sent, stored as `error` of a delivery: the event or its model no longer exists, the
 * acting user is disabled, or may not read the record, which may have been deleted.
 */
type SkipReason = 'event_gone' | 'model_gone' | 'user_disabled' | 'record_unreadable';

/** The body of an event's message, or the reason why nothing is sent. */
export type Message = { readonly body: string } | { readonly skipped: SkipReason };

/** Methods that authenticate users. The record is included if one of them lets the user read its detail endpoint. */
const userMethods = ['jwt', 'api_key'] as const;

/**
 * Creates the message of an event from the current state: the record as the detail endpoint would return it to the
 * acting user, whose roles and grants are read for it. For a deleted record it contains the id.
 */
export const createMessages = ({ events, models, resources, identities, area }: MessageParts) => {
  // A reason may name a record of any model.
  const grantsOn = [
    ...new Set([...models.values()].flatMap((model) => grantsOfRelated(model, models, area))),
  ];

  const actingUser = async (model: ResourceModel, userId: number): Promise<Principal | undefined> => {
    const identity = await identities.byUserId(userId, grantsOn);
    if (identity === undefined) return undefined;
    const auth = methodsNamed(model.auth.detail);
    const method = userMethods.find((each) => takes(auth, identifiedUser(identity, each)));
    return identifiedUser(identity, method ?? 'jwt');
  };

  return async (number: number, userId: number): Promise<Message> => {
    const [event] = await events.after(number - 1, 1);
    if (event?.number !== number) return { skipped: 'event_gone' };
    const resource = resources.get(event.model);
    if (resource === undefined) return { skipped: 'model_gone' };
    const principal = await actingUser(resource.model, userId);
    if (principal === undefined) return { skipped: 'user_disabled' };
    const related = relatedFor({ models }, { area, principal });
    const grant = related(event.model)?.grant;
    const [view] = await viewEvents(resources, { principal, related }, [event]);
    if (view === undefined || grant === undefined) return { skipped: 'record_unreadable' };
    const record =
      event.action === 'destroy' ? { json: 'null' } : await resource.show(grant, event.record, []);
    if (record === undefined) return { skipped: 'record_unreadable' };
    const { at, ...data } = view;
    const head = JSON.stringify({ type: `${event.model}.${event.action}`, timestamp: at });
    // The record is the exact text of the detail endpoint.
    const body = `${head.slice(0, -1)},"data":${JSON.stringify(data).slice(0, -1)},"record":${record.json}}}`;
    return { body };
  };
};

export type MessageOf = ReturnType<typeof createMessages>;
