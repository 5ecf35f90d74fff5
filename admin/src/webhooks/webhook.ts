import type { Text } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';

/** Webhooks and their deliveries, as `/admin/webhooks` returns them. */

export const webhookActions = ['create', 'update', 'destroy'] as const;
export type WebhookAction = (typeof webhookActions)[number];

export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly models: readonly string[];
  readonly actions: readonly WebhookAction[];
  /** Whose rights decide what is sent; null once that user is deleted. */
  readonly user_id: number | null;
  readonly username: string | null;
  /** User who made it, also one who is gone. */
  readonly created_by: number | null;
  /** Whether the acting user made it for the records that they manage; that user stays. */
  readonly managed: boolean;
  readonly disabled: boolean;
  readonly disabled_reason: string | null;
  readonly disabled_at: string | null;
  /** Until when the secret before signs as well. */
  readonly previous_until: string | null;
  /** Attempts that failed one after the other. */
  readonly failures: number;
  /** When the pause after these ends; null unless it pauses. */
  readonly paused_until: string | null;
  /** The last failed attempt: status and beginning of the response, or why there was none. */
  readonly failure_status: number | null;
  readonly failure_error: string | null;
  readonly failure_body: string | null;
  /** Deliveries that wait, counted up to 1,000. */
  readonly waiting: number;
  /** Of the newest delivery that has ended; null while none has. */
  readonly last_outcome: 'delivered' | 'failed' | 'skipped' | null;
  readonly created_at: string;
  readonly updated_at: string;
}

type Headers = Readonly<Record<string, string>> | null;

export interface Delivery {
  readonly id: number;
  /** `webhook-id` of every attempt. */
  readonly message_id: string;
  /** Number of the event. */
  readonly event: number;
  readonly model: string;
  readonly record_id: number;
  readonly action: WebhookAction;
  readonly version: number;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'skipped';
  readonly attempts: number;
  readonly next_at: string | null;
  readonly sending: boolean;
  /** HTTP status of the last response. */
  readonly status: number | null;
  /** Milliseconds of the last attempt. */
  readonly duration: number | null;
  /** Why the last attempt had no response, or why nothing was sent. */
  readonly error: string | null;
  /** Headers and bodies are not shown: the administrator may not read the record. */
  readonly withheld: boolean;
  readonly request_headers: Headers;
  readonly request_body: string | null;
  readonly response_headers: Headers;
  readonly response_body: string | null;
  readonly created_at: string;
  readonly attempted_at: string | null;
  readonly ended_at: string | null;
}

/** Why the service does not send a delivery. Earlier versions stored sentences; other errors are shown as they are. */
const skips: Readonly<Record<string, TextKey>> = {
  event_gone: 'webhooks.skips.gone',
  model_gone: 'webhooks.skips.model',
  user_disabled: 'webhooks.skips.disabled',
  record_unreadable: 'webhooks.skips.unread',
  'the event is not kept any more': 'webhooks.skips.gone',
  'the acting user is disabled': 'webhooks.skips.disabled',
  'the acting user may not read the record or what was changed, or it is gone': 'webhooks.skips.unread',
  // As it was written before.
  'the acting user may not read the record, or it is gone': 'webhooks.skips.unread',
};

export const errorText = (text: Text, error: string): string => {
  const key = skips[error];
  return key === undefined ? error : text(key);
};

/** Characters of a response that a line has room for. */
const excerptLength = 100;

const excerpt = (body: string): string => {
  const line = body.replace(/\s+/gu, ' ').trim();
  return line.length > excerptLength ? `${line.slice(0, excerptLength).toWellFormed()}…` : line;
};

/** The reason of the last failure: `HTTP 500 “upstream database is read-only”`, or the error. */
export const failureText = ({
  failure_status: status,
  failure_error: error,
  failure_body: body,
}: Webhook): string | undefined => {
  const said = body === null ? '' : excerpt(body);
  const response = status === null ? [] : [`HTTP ${status}${said === '' ? '' : ` “${said}”`}`];
  const parts = [...response, ...(error === null ? [] : [error])];
  return parts.length === 0 ? undefined : parts.join(' · ');
};

/** How many wait; more than 1,000 are not counted. */
export const waitingText = (count: number): string => (count >= 1000 ? '1000+' : String(count));

/** A short name of a webhook, from its address. */
export const webhookName = ({ url }: Pick<Webhook, 'url'>): string => {
  try {
    const { host, pathname } = new URL(url);
    return pathname === '/' ? host : host + pathname;
  } catch {
    return url;
  }
};

export const actionsText = (text: Text, actions: readonly WebhookAction[]): string =>
  actions.length === webhookActions.length
    ? text('webhooks.everyAction')
    : actions.map((action) => text(`history.actions.${action}`)).join(text('common.separator'));
