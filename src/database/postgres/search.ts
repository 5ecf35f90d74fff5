/** Full-text search by `tsvector`: triggers that keep the words, and the SQL that matches and ranks them. */

import {
  accents,
  equalLetters,
  longestWord,
  searchedCharacters,
  singleCharacters,
} from '../../kernel/search-words.ts';
import { searchTable } from '../migrations/names.ts';
import { quoteName, quoteText } from '../quote.ts';
import {
  fieldWeights,
  type RankedMatches,
  type RankedSearch,
  rankedMatches,
  type SearchDialect,
  type SearchIndex,
  type SearchRequest,
  type SearchSchema,
} from '../search.ts';
import { type Fragment, identifier, join, literal, sql, where } from '../statement.ts';

/** Full-text search by `tsvector`: the labels A to D tell the fields apart. */
const labels = ['A', 'B', 'C', 'D'] as const;

/** Bytes of a text from which the parser of PostgreSQL might leave out a word, as too long. */
const safelyParsed = 2000;

/** Positions of words are at most this. */
const lastPosition = 16_383;

/**
 * The function that divides a text into words, as `searchWords` divides a query. It does not depend on the language of
 * the database: the parser of PostgreSQL gets plain letters and digits only, other words are made here.
 */
const divide = `create or replace function gatewright_search_words(value text) returns tsvector
  language plpgsql immutable parallel safe as $$
declare
  folded text;
begin
  if value is null then
    return '';
  end if;
  if octet_length(value) = length(value) and length(value) < ${safelyParsed} then
    return to_tsvector('pg_catalog.simple', regexp_replace(lower(value collate "C"), '[^a-z0-9]+', ' ', 'g'));
  end if;
  folded := lower(normalize(value, NFD) collate "und-x-icu");
  folded := normalize(regexp_replace(folded, '[${accents}]+', '', 'g'), NFC);
  folded := translate(folded, ${quoteText(equalLetters.from)}, ${quoteText(equalLetters.to)});
  if folded ~ '[${singleCharacters}]' then
    folded := (
      select string_agg(case when single then concat(' ', letter, ' ', case when followed then letter || next || ' ' end)
        else letter end, '' order by place)
      from (
        select letter, place, single, lead(letter) over (order by place) as next, lead(single) over (order by place) as followed
        from (
          select letter, place, letter ~ '[${singleCharacters}]' as single
          from unnest(string_to_array(folded, null)) with ordinality as letters (letter, place)) as marked) as paired);
  end if;
  return coalesce((
    select string_agg(left(word, ${longestWord}) || ':' || least(place, ${lastPosition}), ' ')
    from regexp_split_to_table(folded collate "und-x-icu", '[^[:alnum:]〇]+') with ordinality as words (word, place)
    where word <> ''), '')::tsvector;
end
$$`;

const wordsOf = (row: string, { columns }: SearchIndex): string =>
  columns
    .map((column, nth) => {
      const text = `left(${row}.${quoteName(column)}, ${Math.floor(searchedCharacters / columns.length)})`;
      return `setweight(gatewright_search_words(${text}), '${labels[nth]}')`;
    })
    .join(' || ');

const fill = (index: SearchIndex, which = ''): string =>
  `insert into ${quoteName(searchTable(index.of))} (id, words)
  select t."id", ${wordsOf('t', index)} from ${quoteName(index.of)} as t${which}`;

const rowOf = (row: string, columns: readonly string[]): string =>
  `row(${columns.map((column) => `${row}.${quoteName(column)}`).join(', ')})`;

const triggers = (index: SearchIndex): readonly string[] => {
  const { of, columns } = index;
  const name = quoteName(searchTable(of));
  return [
    `create or replace function ${name}() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from ${name} where id = old."id";
    return null;
  end if;
  if tg_op = 'UPDATE' then
    if ${rowOf('new', columns)} is not distinct from ${rowOf('old', columns)} then
      return null;
    end if;
  end if;
  insert into ${name} (id, words) values (new."id", ${wordsOf('new', index)})
  on conflict (id) do update set words = excluded.words;
  return null;
end
$$`,
    `create trigger ${name} after insert or delete or update of ${columns.map(quoteName).join(', ')} on ${quoteName(of)}
  for each row execute function ${name}()`,
  ];
};

export const searchSchemaPostgres: SearchSchema = {
  create: (index) => {
    const name = quoteName(searchTable(index.of));
    return [
      divide,
      `create table ${name} (id bigint primary key, words tsvector not null)`,
      `comment on table ${name} is ${quoteText(JSON.stringify(index.columns))}`,
      `create index on ${name} using gin (words) with (fastupdate = off)`,
      ...triggers(index),
    ];
  },
  fill: (index, lowest, below) =>
    `${fill(index, ` where t."id" >= ${lowest} and t."id" < ${below}`)} on conflict (id) do nothing`,
  complete: ({ of }) => {
    const name = quoteName(searchTable(of));
    const isLeft = `not exists (select 1 from ${quoteName(of)} as t where t."id" = words.id)`;
    // A record that was deleted while its batch was filled has left its words. They are locked first: the second
    // statement then sees a record that has come back under its key meanwhile.
    return [
      `select id from ${name} as words where ${isLeft} for update`,
      `delete from ${name} as words where ${isLeft}`,
    ];
  },
  // Shorter than the time after which PostgreSQL looks for a deadlock: the service's transaction is never the one to
  // fail.
  begin: ['begin', `set local lock_timeout = '500ms'`],
  // Every release has made the same.
  renew: () => [],
  drop: (table) => {
    const name = quoteName(searchTable(table));
    return [
      `drop trigger if exists ${name} on ${quoteName(table)}`,
      `drop function if exists ${name}()`,
      `drop table if exists ${name}`,
    ];
  },
  refill: (index) => [`delete from ${quoteName(searchTable(index.of))}`, fill(index)],
};

const words = identifier('_words');

/** Labels of the fields in which words may be found. */
const labelsOf = ({ index, columns }: Pick<SearchRequest, 'index' | 'columns'>): string =>
  index.columns.map((column, nth) => (columns.includes(column) ? labels[nth] : '')).join('');

/**
 * The words as a query: `one & two:*`, with the labels of the fields unless all are searched. It is made once. `exact`:
 * the last word is no beginning.
 */
const queryOf = ({ index, columns, words: text }: SearchRequest, exact = false): Fragment => {
  const named = columns.length === index.columns.length ? '' : labelsOf({ index, columns });
  const and = literal(named === '' ? ' & ' : `:${named} & `);
  const last = exact ? (named === '' ? '' : `:${named}`) : `:*${named}`;
  return sql`(select cast(replace(${text}, ' ', ${and}) || ${literal(last)} as tsquery))`;
};

const tableOf = ({ index }: SearchRequest): Fragment => sql`${identifier(searchTable(index.of))} as ${words}`;

/**
 * Records that are examined, the newest first, before the index is asked for all matches: of a whole table, whose words
 * are read in their order, and of a part of one, whose words are found one by one. As many as the second number are
 * examined next, if the first ones promise enough matches in them.
 */
const examinedRecords = { whole: [25_000, 75_000], part: [10_000, 30_000] } as const;

/** The newest records of a table, whose share of matches tells how many there are of all. */
const probedRecords = 2000;

/** With so many matches or fewer, the index is asked for all of them at once. */
const fewMatches = 15_000;

const countOf = (table: Fragment): Fragment => sql`(select count(*) from ${table})`;

/**
 * An index on words returns matches in no order, and all of them, so a frequent word takes as long as it has matches.
 * The newest records are examined, until enough of them match. The index is asked for all matches where too few of
 * these do, and at once where a word seems to have few matches. Matches with only a beginning are looked for where the
 * words themselves have too few.
 */
const ranked = (search: RankedSearch): RankedMatches => {
  const { index, columns, source, key, reach, parts, filters, until } = search;
  const isUnconditional = reach.length + filters.length === 0;
  const table = tableOf(search);
  const [begun, whole] = [queryOf(search), queryOf(search, true)];
  const matches = (query: Fragment): Fragment => sql`${words}.words @@ ${query}`;
  const id = sql`${words}.id`;
  const enough = sql`greatest(${literal(rankedMatches)}, ${until})`;
  /** The newest rows of all parts. */
  const newest = (
    from: Fragment,
    columns: Fragment,
    further: readonly Fragment[],
    most: Fragment,
  ): Fragment => {
    const end = sql` order by id desc limit ${most}`;
    const rows = (parts ?? [reach]).map(
      (part, nth) =>
        sql`select * from (select ${columns} from ${from}${where([...further, ...part, ...filters])}${end}) as ${identifier(`_part${nth}`)}`,
    );
    return rows.length === 1 ? join(rows) : sql`${join(rows, ' union all ')}${end}`;
  };
  const [first, second] = examinedRecords[isUnconditional ? 'whole' : 'part'];
  const rows = (conditions: readonly Fragment[], most: number): Fragment =>
    isUnconditional
      ? newest(table, sql`${id} as id, ${words}.words`, conditions, literal(most))
      : newest(source, sql`${key} as id`, conditions, literal(most));
  const newestRows = rows([], first);
  const nextRows = rows([sql`${isUnconditional ? id : key} < (select lowest from _examined)`], second);
  /** Matches among such rows. */
  const near = (of: Fragment, most: Fragment, conditions: readonly Fragment[]): Fragment => {
    // OFFSET makes the planner look for the words of these rows only, one after the other; it would read those of the
    // whole table.
    const withWords = isUnconditional
      ? sql`(${of}) as ${words}`
      : sql`(${of}) as _newest cross join lateral
        (select ${id}, ${words}.words from ${table} where ${id} = _newest.id offset 0) as ${words}`;
    const order = isUnconditional ? id : sql`_newest.id`;
    return sql`select ${id} from ${withWords}${where(conditions)} order by ${order} desc limit ${most}`;
  };
  const from = isUnconditional ? table : sql`${table} join ${source} on ${key} = ${id}`;
  const far = (conditions: readonly Fragment[]): Fragment =>
    sql`select * from (${newest(from, sql`${id} + 0 as id`, conditions, enough)}) as _far`;
  /**
   * Tables of the matches among the newest records, among the next ones if these promise enough, and, if not, among
   * all.
   */
  const found = (name: string, others: Fragment, ...conditions: readonly Fragment[]): readonly Fragment[] => {
    const [all, nearest, next] = [identifier(name), identifier(`${name}_near`), identifier(`${name}_next`)];
    const [here, there] = [countOf(nearest), countOf(next)];
    const rare = identifier(`${name}_rare`);
    const isRare = sql`(select rare from ${rare})`;
    const probed = sql`(select ${id}, ${words}.words from ${table} order by ${id} desc limit ${literal(probedRecords)}) as ${words}`;
    const isSoonDone = sql`not ${isRare} and (${here} + ${others} >= ${enough} or (select complete from _examined))`;
    const isLikely = sql`not (${isSoonDone}) and ${here} * ${literal((first + second) / first)} + ${others} >= ${enough}`;
    const isDone = sql`(${isSoonDone} or (${isLikely})
      and (${here} + ${there} + ${others} >= ${enough} or (select complete from _next)))`;
    return [
      sql`${rare} as materialized (select not (select complete from _examined)
        and (select count(*) from ${probed}${where(conditions)}) * (select max(${id}) from ${table}) <= ${literal(probedRecords * fewMatches)} as rare)`,
      sql`${nearest} as materialized (${near(newestRows, enough, [sql`not ${isRare}`, ...conditions])})`,
      sql`${next} as materialized (${near(nextRows, sql`(${enough} - ${here})`, [isLikely, ...conditions])})`,
      sql`${all} as materialized (select id from ${nearest} where ${isDone}
        union all select id from ${next} where ${isDone}
        union all ${far([sql`not ${isDone}`, ...conditions])})`,
    ];
  };
  const wholes = countOf(sql`_whole`);
  const weights = index.columns.map((_, nth) => literal(fieldWeights[nth] ?? 0));
  while (weights.length < labels.length) weights.push(literal(0));
  // Words of fields that the caller does not read would count for the length of the text.
  const readWords =
    columns.length === index.columns.length
      ? sql`${words}.words`
      : sql`ts_filter(${words}.words, ${literal(`{${labelsOf(search).toLowerCase().split('').join()}}`)})`;
  const rank = (of: Fragment): Fragment =>
    sql`ts_rank(array[${join(weights.toReversed())}]::real[], ${readWords}, ${of}, 1)`;
  return {
    tables: [
      // Whether the examined records are all that the caller reaches.
      sql`_examined as materialized (select count(*) < ${literal(first)} as complete, min(id) as lowest from (${newestRows}) as _rows)`,
      sql`_next as materialized (select count(*) < ${literal(second)} as complete from (${nextRows}) as _rows)`,
      ...found('_whole', literal(0), matches(whole)),
      ...found('_begun', wholes, sql`${wholes} < ${enough}`, matches(begun), sql`not ${matches(whole)}`),
      sql`_matches as materialized (select id, 1 as whole from _whole union all select id, 0 from _begun)`,
      sql`_ranked as materialized (select _first.id, ${rank(begun)} + ${rank(whole)} as score
        from (select id from _matches order by whole desc, id desc limit ${literal(rankedMatches)}) as _first
        join ${table} on ${id} = _first.id)`,
    ],
    count: sql`select least(count(*), ${enough}) from _matches`,
  };
};

export const searchPostgres: SearchDialect = {
  matches: (key, request) =>
    sql`${key} in (select id from ${tableOf(request)} where ${words}.words @@ ${queryOf(request)})`,
  ranked,
};
