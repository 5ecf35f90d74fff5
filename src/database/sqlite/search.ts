/**
 * Full-text search by FTS5. The tokenizer ignores case and the accents of Latin letters; the SQL of the triggers does
 * what it lacks: it replaces letters that count as others, and separates the characters of languages without spaces. It
 * calls no function of the service, because other programs write to the file as well.
 */

import {
  type FoldedLetters,
  foldedLetters,
  ignoredMarks,
  rankedCharacters,
  rareFoldedLetters,
  searchedCharacters,
  singleCharacters,
} from '../../kernel/search-words.ts';
import { searchTable } from '../migrations/names.ts';
import { quoteName, quoteText } from '../quote.ts';
import {
  fieldWeights,
  type RankedSearch,
  rankedMatches,
  type SearchDialect,
  type SearchIndex,
  type SearchRequest,
  type SearchSchema,
} from '../search.ts';
import { type Fragment, identifier, join, literal, sql, where } from '../statement.ts';
import { rankOfText } from './functions.ts';

/** The view of folded letters and their plain ones, and that of the rare ones, as one text. */
const letters = 'gatewright_letters';
const rareLetters = 'gatewright_rare_letters';

const pairsOf = ({ pairs }: FoldedLetters): string =>
  quoteText(JSON.stringify(pairs.map(([letter, plain]) => letter + plain)));

/** Earlier releases have made a view with fewer letters. */
const createLetters = (): readonly string[] => [
  `drop view if exists ${letters}`,
  `create view ${letters} as
  select substr(value, 1, 1) as letter, substr(value, 2) as plain from json_each(${pairsOf(foldedLetters())})`,
  `drop view if exists ${rareLetters}`,
  `create view ${rareLetters} as select ${pairsOf(rareFoldedLetters())} as pairs`,
];

const singles = quoteText(`[${singleCharacters}]*`);
const pair = quoteText(`[${singleCharacters}][${singleCharacters}]`);

/** The brackets of the trigger: computed at the first migration, as they look at all letters. */
interface Brackets {
  /** Texts without these are in the form of the tokenizer. */
  readonly changed: string;
  readonly rare: string;
  readonly marks: string;
}

let made: Brackets | undefined;

const brackets = (): Brackets => {
  if (made !== undefined) return made;
  const [common, rare, marks] = [foldedLetters().bracket, rareFoldedLetters().bracket, ignoredMarks()];
  made = {
    changed: quoteText(`*[${common}${rare}${marks}${singleCharacters}]*`),
    rare: quoteText(`*[${rare}]*`),
    marks: quoteText(`[${marks}]*`),
  };
  return made;
};

/** The tokenizer's form of the first of two characters: its plain letters, or words of one and of both. */
const dividedCharacter = (): string => `case when two < '\u0080' then substr(two, 1, 1)
          when two glob ${singles} then ' ' || substr(two, 1, 1) || ' ' || iif(two glob ${pair}, two || ' ', '')
          when two glob ${brackets().marks} then ''
          else coalesce((select plain from letters where letter = substr(two, 1, 1)), substr(two, 1, 1)) end`;

/** Lengths of the parts into which a text is cut, in two steps: SQLite counts characters from the start of a text. */
const blockLength = 4096;
const partLength = 64;

/**
 * The searched text of a column, in the form that the tokenizer divides into words. ASCII is in that form. The work is
 * linear in the text, as it runs within the statement that writes: each character is looked at once, with the next one.
 */
const searchedText = (row: string, column: string, { columns }: SearchIndex): string => {
  const characters = Math.floor(searchedCharacters / columns.length);
  return `(with recursive
    source (text) as materialized (select substr(${row}.${quoteName(column)}, 1, ${characters})),
    places (place) as materialized (select 0 union all select place + 1 from places where place < ${partLength - 1}),
    letters (letter, plain) as materialized (select letter, plain from ${letters}
      union all select substr(value, 1, 1), substr(value, 2) from source cross join
        json_each(iif(text glob ${brackets().rare}, (select pairs from ${rareLetters}), '[]'))),
    blocks (block, text) as materialized (
      select place, substr(text, place * ${blockLength} + 1, ${blockLength + 1}) from source cross join places
      where place < ${Math.ceil(characters / blockLength)}),
    parts (nth, part) as materialized (
      select block * ${blockLength / partLength} + place, substr(text, place * ${partLength} + 1, ${partLength + 1})
      from blocks cross join places where text <> '')
    select case when length(text) = octet_length(text) or not text glob ${brackets().changed} then text
      else (select group_concat((
        select group_concat(${dividedCharacter()}, '' order by place)
        from (select place, substr(part, place + 1, 2) as two from places) where two <> ''), '' order by nth)
        from parts where part <> '') end from source)`;
};

const searchedTexts = (row: string, index: SearchIndex): string =>
  index.columns.map((column) => searchedText(row, column, index)).join(',\n    ');

const triggerName = (table: string, action: string): string => quoteName(`${searchTable(table)}_${action}`);

const namesOf = (columns: readonly string[]): string => columns.map(quoteName).join(', ');

const insertNew = (index: SearchIndex): string =>
  `insert into ${quoteName(searchTable(index.of))} (rowid, ${namesOf(index.columns)})
  values (new."id", ${searchedTexts('new', index)});`;

const deleteOld = ({ of }: SearchIndex): string =>
  `delete from ${quoteName(searchTable(of))} where rowid = old."id";`;

const fill = (index: SearchIndex, which = ''): string =>
  `insert into ${quoteName(searchTable(index.of))} (rowid, ${namesOf(index.columns)})
  select t."id", ${searchedTexts('t', index)} from ${quoteName(index.of)} as t${which}`;

const dropTriggers = (table: string): readonly string[] =>
  ['insert', 'update', 'delete'].map((action) => `drop trigger if exists ${triggerName(table, action)}`);

const triggers = (index: SearchIndex): readonly string[] => {
  const { of, columns } = index;
  const on = quoteName(of);
  const changes = columns.map((column) => `old.${quoteName(column)} is not new.${quoteName(column)}`);
  return [
    `create trigger ${triggerName(of, 'insert')} after insert on ${on} begin ${insertNew(index)} end`,
    `create trigger ${triggerName(of, 'update')} after update of ${namesOf(columns)} on ${on}
  when ${changes.join(' or ')} begin ${deleteOld(index)} ${insertNew(index)} end`,
    `create trigger ${triggerName(of, 'delete')} after delete on ${on} begin ${deleteOld(index)} end`,
  ];
};

/** The texts stay in the table itself. Beginnings of up to five characters, which many words have, have an index. */
const tokenizer = `tokenize="unicode61 remove_diacritics 2 categories 'L* Nd' tokenchars '〇'"`;

export const searchSchemaSqlite: SearchSchema = {
  create: (index) => [
    ...createLetters(),
    `create virtual table ${quoteName(searchTable(index.of))} using fts5(${namesOf(index.columns)},
  content='', contentless_delete=1, prefix='1 2 3 4 5', ${tokenizer})`,
    ...triggers(index),
  ],
  fill: (index, lowest, below) =>
    fill(
      index,
      ` where t."id" >= ${lowest} and t."id" < ${below}
    and not exists (select 1 from ${quoteName(searchTable(index.of))} as words where words.rowid = t."id")`,
    ),
  complete: () => [],
  begin: ['begin immediate'],
  renew: (index) => [...createLetters(), ...dropTriggers(index.of), ...triggers(index)],
  drop: (table) => [...dropTriggers(table), `drop table if exists ${quoteName(searchTable(table))}`],
  refill: (index) => {
    const name = quoteName(searchTable(index.of));
    return [`insert into ${name} (${name}) values ('delete-all')`, fill(index)];
  },
};

const tableOf = ({ index }: SearchRequest): Fragment => identifier(searchTable(index.of));

/**
 * The words as a query of FTS5: `{"title"} : ("one" AND "two")`, for a beginning of the last word `("one" AND "two"
 * *)`.
 */
const matching = (request: SearchRequest, last: 'whole' | 'begun'): Fragment => {
  const { index, columns, words } = request;
  const filter =
    columns.length === index.columns.length ? '' : `{${columns.map((column) => `"${column}"`).join(' ')}} : `;
  const end = last === 'begun' ? '" *)' : '")';
  return sql`${tableOf(request)} match ${literal(`${filter}("`)} || replace(${words}, ' ', '" AND "') || ${literal(end)}`;
};

/** Most records of a rule whose keys are collected before the search. */
const fewRecords = 50_000;

/** The keys of the newest matches: FTS5 returns them in this order, so that a limit bounds the work. */
const newest = (search: RankedSearch, most: Fragment, matches: readonly Fragment[]): Fragment => {
  const { source, key, reach, parts, filters } = search;
  const words = tableOf(search);
  const rowid = sql`${words}.rowid`;
  const columns = sql`${rowid} as id`;
  const first = (limit: Fragment): Fragment => sql` order by ${rowid} desc limit ${limit}`;
  if (reach.length + filters.length === 0)
    return sql`select ${columns} from ${words}${where(matches)}${first(most)}`;
  const rows = sql`select ${columns} from ${words} cross join ${source}`;
  const all = [...matches, sql`${key} = ${rowid}`, ...reach, ...filters];
  if (parts === undefined) return sql`${rows}${where(all)}${first(most)}`;
  const few = sql`(select count(*) from _near) <= ${literal(fewRecords)}`;
  // The plus prevents one search for each of these records, each of which would begin again.
  const near = [...matches, sql`+${rowid} in (select key from _near where admitted)`];
  // One of the two has the limit 0. As a condition, SQLite would ask for `few` with each match.
  return sql`select * from (select ${columns} from ${words}${where(near)}${first(sql`case when ${few} then ${most} else 0 end`)})
    union all select * from (${rows}${where(all)}${first(sql`case when ${few} then 0 else ${most} end`)}) order by id desc limit ${most}`;
};

/** The keys of the rows that a caller reaches, and whether the filters admit them; no more than decide for `few`. */
const nearRows = (
  { source, key, filters }: RankedSearch,
  parts: readonly (readonly Fragment[])[],
): Fragment => {
  const admitted =
    filters.length === 0
      ? literal(true)
      : sql`(${join(
          filters.map((one) => sql`(${one})`),
          ' and ',
        )})`;
  const rows = parts.map(
    (part, nth) =>
      sql`select * from (select ${key} as key, ${admitted} as admitted from ${source}${where(part)} limit ${literal(fewRecords + 1)}) as ${identifier(`_near${nth}`)}`,
  );
  return sql`_near as materialized (${join(rows, ' union all ')})`;
};

/**
 * The rank of a record by the fields that the caller reads, and by nothing else. `bm25` would count the other ones, and
 * other records.
 */
const rankOf = ({ index, columns, words }: SearchRequest): Fragment => {
  const ranks = index.columns.flatMap((column, nth) =>
    columns.includes(column)
      ? sql`${literal(fieldWeights[nth] ?? 0)} * ${identifier(rankOfText)}(${words}, substr(_text.${identifier(column)}, 1, ${literal(rankedCharacters)}))`
      : [],
  );
  return join(ranks, ' + ');
};

export const searchSqlite: SearchDialect = {
  matches: (key, request) =>
    sql`${key} in (select rowid from ${tableOf(request)}${where([matching(request, 'begun')])})`,
  ranked: (search) => {
    const { index, parts, until } = search;
    const words = tableOf(search);
    const most = sql`max(${literal(rankedMatches)}, ${until})`;
    // FTS5 reads all matches of a beginning before it returns one: not where the words themselves have enough.
    const missing = sql`${most} - (select count(*) from _whole)`;
    const others = sql`${words}.rowid not in (select id from _whole)`;
    const tables = [
      sql`_whole as materialized (${newest(search, most, [matching(search, 'whole')])})`,
      sql`_begun as materialized (${newest(search, missing, [matching(search, 'begun'), others])})`,
      sql`_matches as (select id, 1 as whole from _whole union all select id, 0 from _begun)`,
      sql`_ranked as materialized (select _first.id, ${rankOf(search)} as score
        from (select id from _matches order by whole desc, id desc limit ${literal(rankedMatches)}) as _first
        cross join ${identifier(index.of)} as _text on _text.id = _first.id)`,
    ];
    if (parts !== undefined) tables.unshift(nearRows(search, parts));
    return { tables, count: sql`select min(count(*), ${most}) from _matches` };
  },
};
