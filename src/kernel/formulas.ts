/**
 * Which texts a spreadsheet would take for formulas, and what keeps it from doing so (CSV injection; the rule of
 * https://owasp.org/www-community/attacks/CSV_Injection): a `'` before each place where a formula would begin. The very
 * same places are found again where it was put, so that it can be taken away without touching any other `'`.
 *
 * A formula begins a cell. A cell begins with the text, and behind a line break or a separator: a spreadsheet that
 * separates by semicolons, as those of many countries do, knows nothing of quotes that do not begin a cell of its own,
 * and splits what is inside them. Blanks, invisible characters and quotes are skipped before a formula; some
 * spreadsheets take full-width and small forms of its first character for that character.
 */

const first = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
const skipped = '[[\\p{Z}\\p{C}"]--[\\r\\n\\t]]*';

interface Places {
  readonly toEscape: RegExp;
  readonly escaped: RegExp;
}

const placesAfter = (separators: string): Places => ({
  // Behind any number of marks: what was written with one gets another, and keeps its own when that is taken away.
  toEscape: new RegExp(`(^|[${separators}])(?='*${skipped}${first})`, 'gv'),
  escaped: new RegExp(`(^|[${separators}])'(?='*${skipped}${first})`, 'gv'),
});

const ofTexts = placesAfter('\\r\\n\\t;\\|,');
/** In an array or an object of JSON a comma separates its own values, which may be negative numbers. */
const ofJson = placesAfter('\\r\\n\\t;\\|');

const placesIn = (text: string): Places => (text.startsWith('[') || text.startsWith('{') ? ofJson : ofTexts);

/** A plain number is no formula, whatever its sign. */
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The text with a `'` before whatever a spreadsheet would take for a formula. */
export const escapeFormulas = (text: string): string =>
  plainNumber.test(text) ? text : text.replace(placesIn(text).toEscape, "$1'");

/** The text of which `escapeFormulas` has made this one. */
export const unescapeFormulas = (text: string): string => text.replace(placesIn(text).escaped, '$1');
