/**
 * Protection against CSV injection (https://owasp.org/www-community/attacks/CSV_Injection): a `'` is inserted at each
 * position where a spreadsheet would recognise a formula. The same positions are found when a text is unescaped, so
 * that no other `'` is removed.
 *
 * A formula is at the beginning of a cell, and a cell begins at the start of the text, after a line break or after a
 * separator. Spreadsheets that separate by semicolons, as in many countries, also split quoted text, since only a quote
 * at the beginning of their own cell counts. They skip blanks, invisible characters and quotes before a formula; some
 * accept full-width and small forms of its first character.
 */

const firstCharacter = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
const skippedCharacters = '[[\\p{Z}\\p{C}"]--[\\r\\n\\t]]*';

interface FormulaPatterns {
  readonly toEscape: RegExp;
  readonly escaped: RegExp;
}

const createPatterns = (separators: string): FormulaPatterns => ({
  // After any number of marks: a text that already has one gets another, and keeps its own when it is unescaped.
  toEscape: new RegExp(`(^|[${separators}])(?='*${skippedCharacters}${firstCharacter})`, 'gv'),
  escaped: new RegExp(`(^|[${separators}])'(?='*${skippedCharacters}${firstCharacter})`, 'gv'),
});

const textPatterns = createPatterns('\\r\\n\\t;\\|,');
/** Without the comma, which in a JSON array or object separates its own values; these may be negative numbers. */
const jsonPatterns = createPatterns('\\r\\n\\t;\\|');

const patternsFor = (text: string): FormulaPatterns =>
  text.startsWith('[') || text.startsWith('{') ? jsonPatterns : textPatterns;

/** A plain number, which is no formula even with a sign. */
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the text with a `'` before each formula that a spreadsheet would recognise. */
export const escapeFormulas = (text: string): string =>
  plainNumber.test(text) ? text : text.replace(patternsFor(text).toEscape, "$1'");

/** Returns the text from which `escapeFormulas` made this one. */
export const unescapeFormulas = (text: string): string => text.replace(patternsFor(text).escaped, '$1');
