/** Full-text search by `tsvector`: triggers that keep the words, and the SQL that matches and ranks them. */

import {
  formLetters,
  ignoredMarks,
  longestWord,
  plainLetters,
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
import type { ServiceNames } from '../service-names.ts';
import { type Fragment, identifier, join, literal, sql, where } from '../statement.ts';

/** Full-text search by `tsvector`: the labels A to D tell the fields apart. */
const labels = ['A', 'B', 'C', 'D'] as const;

/** The function that divides a text into words. */
const searchWords = 'gatewright_search_words';

/** Bytes of a text from which the parser of PostgreSQL might leave out a word, as too long. */
const safelyParsed = 2000;

/** Positions of words are at most this. */
const lastPosition = 16_383;

/** A text with plain letters: those that are one letter by `translate`, the others one after the other. */
const plain = (text: string): string => {
  const pairs = Object.entries(plainLetters);
  const single = pairs.filter(([, to]) => to.length === 1);
  const [from, to] = [0, 1].map((side) => quoteText(single.map((pair) => pair[side]).join('')));
  return pairs
    .filter(([, longer]) => longer.length > 1)
    .reduce(
      (inner, [letter, longer]) => `replace(${inner}, ${quoteText(letter)}, ${quoteText(longer)})`,
      `translate(${text}, ${from}, ${to})`,
    );
};

/**
 * The function that divides a text into words, as `searchWords` divides a query. It does not depend on the language of
 * the database: the parser of PostgreSQL gets plain letters and digits only, other words are made here.
 */
const divide = ({
  routine,
}: ServiceNames): string => `create or replace function ${routine(searchWords)}(value text) returns tsvector
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
  folded := value;
  if folded ~ '[${formLetters}]' then
    folded := (
      select string_agg(case when letter ~ '[${formLetters}]' then normalize(letter, NFKD) else letter end, '' order by place)
      from unnest(string_to_array(folded, null)) with ordinality as letters (letter, place));
  end if;
  folded := lower(normalize(folded, NFD) collate "und-x-icu");
  folded := regexp_replace(folded, '[${ignoredMarks()}]+', '', 'g');
  folded := normalize(${plain('folded')}, NFC);
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

const wordsOf = (row: string, { columns }: SearchIndex, { routine }: ServiceNames): string =>
  columns
    .map((column, nth) => {
      const text = `left(${row}.${quoteName(column)}, ${Math.floor(searchedCharacters / columns.length)})`;
      return `setweight(${routine(searchWords)}(${text}), '${labels[nth]}')`;
    })
    .join(' || ');

const fill = (index: SearchIndex, names: ServiceNames, which = ''): string =>
  `insert into ${quoteName(searchTable(index.of))} (id, words)
  select t."id", ${wordsOf('t', index, names)} from ${quoteName(index.of)} as t${which}`;

const rowOf = (row: string, columns: readonly string[]): string =>
  `row(${columns.map((column) => `${row}.${quoteName(column)}`).join(', ')})`;

const triggers = (index: SearchIndex, names: ServiceNames): readonly string[] => {
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
  insert into ${name} (id, words) values (new."id", ${wordsOf('new', index, names)})
  on conflict (id) do update set words = excluded.words;
  return null;
end
$$`,
    `create trigger ${name} after insert or delete or update of ${columns.map(quoteName).join(', ')} on ${quoteName(of)}
  for each row execute function ${name}()`,
  ];
};

export const searchSchemaPostgres = (names: ServiceNames): SearchSchema => ({
  create: (index) => {
    const name = quoteName(searchTable(index.of));
    return [
      divide(names),
      `create table ${name} (id bigint primary key, words tsvector not null)`,
      `comment on table ${name} is ${quoteText(JSON.stringify(index.columns))}`,
      `create index on ${name} using gin (words) with (fastupdate = off)`,
      ...triggers(index, names),
    ];
  },
  fill: (index, lowest, below) =>
    `${fill(index, names, ` where t."id" >= ${lowest} and t."id" < ${below}`)} on conflict (id) do nothing`,
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
  refill: (index) => [`delete from ${quoteName(searchTable(index.of))}`, fill(index, names)],
});

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
 * The tables of a ranked search. An index on words returns matches in no order, and all of them, so a frequent word
 * takes as long as it has matches. The newest records are examined, until enough of them match. The index is asked for
 * all matches where too few of these do, and at once where a word seems to have few matches. Matches with only a
 * beginning are looked for where the words themselves have too few.
 */
class RankedTables {
  readonly #search: RankedSearch;
  /** True if all records of the table are searched: their words are then read without the rows. */
  readonly #isUnconditional: boolean;
  readonly #words: Fragment;
  readonly #id = sql`${words}.id`;
  /** Number of matches that end the search. */
  readonly #enough: Fragment;
  /** Records that are examined first, and next. */
  readonly #first: number;
  readonly #second: number;
  readonly #newestRows: Fragment;
  readonly #nextRows: Fragment;

  constructor(search: RankedSearch) {
    this.#search = search;
    this.#isUnconditional = search.reach.length + search.filters.length === 0;
    this.#words = tableOf(search);
    this.#enough = sql`greatest(${literal(rankedMatches)}, ${search.until})`;
    [this.#first, this.#second] = examinedRecords[this.#isUnconditional ? 'whole' : 'part'];
    this.#newestRows = this.#rows([], this.#first);
    const isOlder = sql`${this.#isUnconditional ? this.#id : search.key} < (select lowest from _examined)`;
    this.#nextRows = this.#rows([isOlder], this.#second);
  }

  matches(): RankedMatches {
    const [begun, whole] = [queryOf(this.#search), queryOf(this.#search, true)];
    const isMatch = (query: Fragment): Fragment => sql`${words}.words @@ ${query}`;
    const wholes = countOf(sql`_whole`);
    return {
      tables: [
        ...this.#examined(),
        ...this.#found('_whole', literal(0), [isMatch(whole)]),
        ...this.#found('_begun', wholes, [
          sql`${wholes} < ${this.#enough}`,
          isMatch(begun),
          sql`not ${isMatch(whole)}`,
        ]),
        sql`_matches as materialized (select id, 1 as whole from _whole union all select id, 0 from _begun)`,
        this.#ranked(sql`${this.#rank(begun)} + ${this.#rank(whole)}`),
      ],
      count: sql`select least(count(*), ${this.#enough}) from _matches`,
    };
  }

  /** Tables that tell whether the examined records are all that the caller reaches. */
  #examined(): readonly Fragment[] {
    return [
      sql`_examined as materialized (select count(*) < ${literal(this.#first)} as complete, min(id) as lowest from (${this.#newestRows}) as _rows)`,
      sql`_next as materialized (select count(*) < ${literal(this.#second)} as complete from (${this.#nextRows}) as _rows)`,
    ];
  }

  /**
   * Tables of the matches among the newest records, among the next ones if these promise enough, and, if not, among
   * all. `others`: the number of matches that were found before.
   */
  #found(name: string, others: Fragment, conditions: readonly Fragment[]): readonly Fragment[] {
    const [all, nearest, next] = [identifier(name), identifier(`${name}_near`), identifier(`${name}_next`)];
    const [here, there] = [countOf(nearest), countOf(next)];
    const rare = identifier(`${name}_rare`);
    const enough = this.#enough;
    const isRare = sql`(select rare from ${rare})`;
    const growth = literal((this.#first + this.#second) / this.#first);
    const isSoonDone = sql`not ${isRare} and (${here} + ${others} >= ${enough} or (select complete from _examined))`;
    const isLikely = sql`not (${isSoonDone}) and ${here} * ${growth} + ${others} >= ${enough}`;
    const isDone = sql`(${isSoonDone} or (${isLikely})
      and (${here} + ${there} + ${others} >= ${enough} or (select complete from _next)))`;
    return [
      sql`${rare} as materialized (${this.#rarity(conditions)})`,
      sql`${nearest} as materialized (${this.#near(this.#newestRows, enough, [sql`not ${isRare}`, ...conditions])})`,
      sql`${next} as materialized (${this.#near(this.#nextRows, sql`(${enough} - ${here})`, [isLikely, ...conditions])})`,
      sql`${all} as materialized (select id from ${nearest} where ${isDone}
        union all select id from ${next} where ${isDone}
        union all ${this.#far([sql`not ${isDone}`, ...conditions])})`,
    ];
  }

  /** Tells from the share of matches among the newest records whether the whole table has few. */
  #rarity(conditions: readonly Fragment[]): Fragment {
    const id = this.#id;
    const probed = sql`(select ${id}, ${words}.words from ${this.#words} order by ${id} desc limit ${literal(probedRecords)}) as ${words}`;
    return sql`select not (select complete from _examined)
        and (select count(*) from ${probed}${where(conditions)}) * (select max(${id}) from ${this.#words}) <= ${literal(probedRecords * fewMatches)} as rare`;
  }

  /** Matches among some of the newest rows. */
  #near(rows: Fragment, most: Fragment, conditions: readonly Fragment[]): Fragment {
    const id = this.#id;
    // OFFSET makes the planner look for the words of these rows only, one after the other; it would read those of the
    // whole table.
    const withWords = this.#isUnconditional
      ? sql`(${rows}) as ${words}`
      : sql`(${rows}) as _newest cross join lateral
        (select ${id}, ${words}.words from ${this.#words} where ${id} = _newest.id offset 0) as ${words}`;
    const order = this.#isUnconditional ? id : sql`_newest.id`;
    return sql`select ${id} from ${withWords}${where(conditions)} order by ${order} desc limit ${most}`;
  }

  /** Matches among all rows, by the index. */
  #far(conditions: readonly Fragment[]): Fragment {
    const { source, key } = this.#search;
    const id = this.#id;
    const from = this.#isUnconditional ? this.#words : sql`${this.#words} join ${source} on ${key} = ${id}`;
    return sql`select * from (${this.#newest(from, sql`${id} + 0 as id`, conditions, this.#enough)}) as _far`;
  }

  /** The newest rows that are searched; of a whole table with their words. */
  #rows(conditions: readonly Fragment[], most: number): Fragment {
    const { source, key } = this.#search;
    return this.#isUnconditional
      ? this.#newest(this.#words, sql`${this.#id} as id, ${words}.words`, conditions, literal(most))
      : this.#newest(source, sql`${key} as id`, conditions, literal(most));
  }

  /** The newest rows of all parts. */
  #newest(from: Fragment, columns: Fragment, conditions: readonly Fragment[], most: Fragment): Fragment {
    const { parts, reach, filters } = this.#search;
    const end = sql` order by id desc limit ${most}`;
    const rows = (parts ?? [reach]).map(
      (part, nth) =>
        sql`select * from (select ${columns} from ${from}${where([...conditions, ...part, ...filters])}${end}) as ${identifier(`_part${nth}`)}`,
    );
    return rows.length === 1 ? join(rows) : sql`${join(rows, ' union all ')}${end}`;
  }

  /** The table of the first matches with their scores. */
  #ranked(score: Fragment): Fragment {
    return sql`_ranked as materialized (select _first.id, ${score} as score
        from (select id from _matches order by whole desc, id desc limit ${literal(rankedMatches)}) as _first
        join ${this.#words} on ${this.#id} = _first.id)`;
  }

  /** The rank of a record's words for a query, by the weights of their fields. */
  #rank(query: Fragment): Fragment {
    const { index, columns } = this.#search;
    const weights = index.columns.map((_, nth) => literal(fieldWeights[nth] ?? 0));
    while (weights.length < labels.length) weights.push(literal(0));
    // Words of fields that the caller does not read would count for the length of the text.
    const readWords =
      columns.length === index.columns.length
        ? sql`${words}.words`
        : sql`ts_filter(${words}.words, ${literal(`{${labelsOf(this.#search).toLowerCase().split('').join()}}`)})`;
    return sql`ts_rank(array[${join(weights.toReversed())}]::real[], ${readWords}, ${query}, 1)`;
  }
}

export const searchPostgres: SearchDialect = {
  matches: (key, request) =>
    sql`${key} in (select id from ${tableOf(request)} where ${words}.words @@ ${queryOf(request)})`,
  ranked: (search) => new RankedTables(search).matches(),
};
