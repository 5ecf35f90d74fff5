import { sameOrigin } from '../../auth/same-origin.ts';
import type { Call } from '../../http/endpoint.ts';

/** What a browser sends without a session must come from a page of this service; without cookie and Origin it is none. */
export const isForeignPage = (call: Pick<Call, 'header'>, baseUrl: string): boolean =>
  (call.header('cookie') !== undefined || call.header('origin') !== undefined) && !sameOrigin(call, baseUrl);
