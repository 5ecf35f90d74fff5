/** Webhooks and their deliveries as the service returns them, and their parts in words. */

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
  /** User whose permissions decide which data is sent; null after that user was deleted. */
  readonly user_id: number | null;
  readonly username: string | null;
  /** User who created it, also a deleted one. */
  readonly created_by: number | null;
  /** True if the acting user created it for the records that they manage; that user stays. */
  readonly managed: boolean;
  readonly disabled: boolean;
  readonly disabled_reason: string | null;
  readonly disabled_at: string | null;
  /** End of the time in which the previous secret signs too. */
  readonly previous_until: string | null;
  /** Number of failed attempts in a row. */
  readonly failures: number;
  /** End of the pause after these failures; null unless paused. */
  readonly paused_until: string | null;
  /** The last failed attempt: status and beginning of the response, or the reason why there was none. */
  readonly failure_status: number | null;
  readonly failure_error: string | null;
  readonly failure_body: string | null;
  /** Number of waiting deliveries, counted up to 1,000. */
  readonly waiting: number;
  /** Outcome of the newest completed delivery; null if there is none. */
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
  /** The reason why the last attempt had no response, or why nothing was sent. */
  readonly error: string | null;
  /** True if headers and bodies are hidden, as the administrator may not read the record. */
  readonly withheld: boolean;
  readonly request_headers: Headers;
  readonly request_body: string | null;
  readonly response_headers: Headers;
  readonly response_body: string | null;
  readonly created_at: string;
  readonly attempted_at: string | null;
  readonly ended_at: string | null;
}

/** Reasons why the service skips a delivery. Earlier versions stored sentences; other errors are shown as they are. */
const skips: Readonly<Record<string, TextKey>> = {
  event_gone: 'webhooks.skips.gone',
  model_gone: 'webhooks.skips.model',
  user_disabled: 'webhooks.skips.disabled',
  record_unreadable: 'webhooks.skips.unread',
  'the event is not kept any more': 'webhooks.skips.gone',
  'the acting user is disabled': 'webhooks.skips.disabled',
  'the acting user may not read the record or what was changed, or it is gone': 'webhooks.skips.unread',
  // The sentence of earlier versions.
  'the acting user may not read the record, or it is gone': 'webhooks.skips.unread',
};

export const errorText = (text: Text, error: string): string => {
  const key = skips[error];
  return key === undefined ? error : text(key);
};

/** Maximum length of a response in a line. */
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

/** The number of waiting deliveries; more than 1,000 are not counted. */
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
