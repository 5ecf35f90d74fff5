import type { AuthMethodName } from '../auth/method.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { labelText } from '../kernel/messages/messages.ts';
import type { DescriptionOptions } from './context.ts';
import { partTexts, schemeTexts } from './texts.ts';

/**
 * Schemes of a method under the names that the description gives them: the method's own where one header does, so
 * that `jwt` and `bearer`, which are one method, are both listed; the names of the parts where several are sent.
 */
const schemesOf = (
  name: AuthMethodName,
  { methods, locale }: DescriptionOptions,
): Map<string, JsonObject> => {
  const parts = Object.entries(methods[name].schemes);
  const named = (part: string): string => (parts.length === 1 ? name : part);
  const text = (part: string) => (name === 'signature' ? partTexts[part] : schemeTexts[name]);
  return new Map(
    parts.map(([part, scheme]) => [
      named(part),
      { ...scheme, description: labelText(text(part) ?? '', locale) },
    ]),
  );
};

export const securitySchemes = (names: Iterable<AuthMethodName>, options: DescriptionOptions): JsonObject =>
  Object.fromEntries([...names].flatMap((name) => [...schemesOf(name, options)]));

/** Alternatives, of which one is enough; each names everything that has to be sent together. Open: none. */
export const requirements = (names: readonly AuthMethodName[], options: DescriptionOptions): Json =>
  names.map((name) =>
    Object.fromEntries([...schemesOf(name, options).keys()].map((scheme): [string, Json] => [scheme, []])),
  );
