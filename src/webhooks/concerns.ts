import type { RecordedEvent } from '../service/events/event-log.ts';

/** Whether a webhook is to be told of an event. */
export const concerns = (
  { models, actions }: { readonly models: readonly string[]; readonly actions: readonly string[] },
  { model, action }: Pick<RecordedEvent, 'model' | 'action'>,
): boolean => models.includes(model) && actions.includes(action);
