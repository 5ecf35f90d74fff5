import { identifiedUser } from '../auth/identified-user.ts';
import type { IdentityStore } from '../auth/ports.ts';
import { type Principal, takes } from '../auth/principal.ts';
import { methodsNamed } from '../auth/registry.ts';
import { toldOf } from '../events/told.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import type { AreaRules } from '../operations/area.ts';
import { grantsOfRelated, relatedFor } from '../operations/related.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { EventLog } from '../service/events/event-log.ts';

export interface MessageParts {
  readonly events: EventLog;
  readonly models: Models;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly identities: Pick<IdentityStore, 'byUserId'>;
  /** Whose rules decide what the acting user may read: those of the API. */
  readonly area: AreaRules;
}

/**
 * Why nothing is sent, as `error` of a delivery has it: the event or its model is not there any more, the acting user is
 * disabled, or may not read the record, which may be gone.
 */
type SkipReason = 'event_gone' | 'model_gone' | 'user_disabled' | 'record_unreadable';

/** What is sent of an event, or why nothing is. */
export type Message = { readonly body: string } | { readonly skipped: SkipReason };

/** Methods that users have: any that the detail endpoint takes will do, as the user could read the record by it. */
const userMethods = ['jwt', 'api_key'] as const;

/**
 * Makes the message of an event, as things are at this moment: the record as the detail endpoint would show it to the
 * acting user, whose roles and grants are read for it. Of a record that is gone it tells the id.
 */
export const createMessages = ({ events, models, resources, identities, area }: MessageParts) => {
  // The record that a reason names is of any model.
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
    const [told] = await toldOf(resources, { principal, related }, [event]);
    if (told === undefined || grant === undefined) return { skipped: 'record_unreadable' };
    const record =
      event.action === 'destroy' ? { json: 'null' } : await resource.show(grant, event.record, []);
    if (record === undefined) return { skipped: 'record_unreadable' };
    const { at, ...data } = told;
    const head = JSON.stringify({ type: `${event.model}.${event.action}`, timestamp: at });
    // The record is the very text that the detail endpoint answers.
    const body = `${head.slice(0, -1)},"data":${JSON.stringify(data).slice(0, -1)},"record":${record.json}}}`;
    return { body };
  };
};

export type MessageOf = ReturnType<typeof createMessages>;
