import { authMethods, headersOf } from '../../auth/registry.ts';
import type { Json } from '../../kernel/json.ts';

/** What the page needs of each method to send its credentials, in both languages. */
export const describedMethods = (): Json =>
  authMethods.map((method) => {
    const { name, label, secret } = method;
    return {
      name,
      label,
      headers: headersOf(method),
      ...(secret === undefined ? {} : { secret: { ...secret } }),
    };
  });
