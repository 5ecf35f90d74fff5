import { sameOrigin } from '../../auth/same-origin.ts';
import type { Call } from '../../http/endpoint.ts';

/**
 * Whether a page of another origin sends the call: without a session a browser must be on a page of this service;
 * without cookie and Origin it is none.
 */
export const isForeignPage = (call: Pick<Call, 'header'>, baseUrl: string): boolean =>
  (call.header('cookie') !== undefined || call.header('origin') !== undefined) && !sameOrigin(call, baseUrl);
