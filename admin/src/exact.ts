import { exactText, parseExact } from '../../src/kernel/exact-json.ts';

/** Browsers before Chrome 114, Firefox 135 and Safari 18.4 do not keep the text of a number: they round it. */
const keepsTexts = 'rawJSON' in JSON;

/** JSON that a page sends back with the same numbers and the same order of keys. */
export const exactJson = {
  parse: (text: string): unknown => (keepsTexts ? parseExact(text) : JSON.parse(text)),
  stringify: (value: unknown, indent?: number): string => exactText(value, indent),
};
