import {
  type Answer,
  ask,
  dataOf,
  note,
  type Playing,
  statusFault,
} from '../../resources/row-rules/asking.ts';
import { type Id, inPath, missing } from '../../resources/row-rules/ids.ts';
import { queryOf } from '../../resources/row-rules/lists.ts';
import { isRefused, type Refused } from '../../resources/row-rules/oracle.ts';
import type { Asking } from '../../resources/row-rules/people.ts';
import {
  type FilterAsked,
  filterParameter,
  matcher,
  type Parameter,
  renderer,
  type SortAsked,
  someFilter,
  someIncludes,
  someSort,
  sorter,
  sortText,
  type Tree,
} from './asked.ts';
import type { RelatedPlan } from './plan.ts';
import { type Data, follow, ledTo, type Plain, Reader, reached, Unanswerable, type Where } from './policy.ts';

/** Requests across relations, each held to the oracle. */

export interface Across extends Playing, Data {
  readonly models: readonly RelatedPlan[];
}

/** The expected answer: data, or one of several refusals. */
type Wanted<T> = { readonly data: T } | { readonly statuses: ReadonlySet<number> };

/** Works out every part of an answer: the answer may name any of the errors. */
export const wantedOf = <T>(parts: readonly (() => unknown)[], data: () => T): Wanted<T> => {
  const statuses = new Set<number>();
  for (const part of parts)
    try {
      part();
    } catch (error) {
      if (!(error instanceof Unanswerable)) throw error;
      statuses.add(error.status);
    }
  return statuses.size > 0 ? { statuses } : { data: data() };
};

const codes: Readonly<Record<number, number>> = { 400: 40007, 403: 40300 };

const faultOf = (answer: Answer, wanted: Wanted<unknown>): string | undefined => {
  if ('data' in wanted) {
    const fault = statusFault(answer, 200);
    if (fault !== undefined) return fault;
    const [got, should] = [JSON.stringify(dataOf(answer)), JSON.stringify(wanted.data)];
    return got === should ? undefined : `${got}, not ${should}`;
  }
  const { code } = JSON.parse(answer.text) as { code: number };
  if (wanted.statuses.has(answer.status) && code === codes[answer.status]) return undefined;
  return `${answer.status} ${answer.text.slice(0, 300)}, not ${[...wanted.statuses].join(' or ')}`;
};

const count = ({ cells }: Across, what: string): void => {
  cells.set(what, (cells.get(what) ?? 0) + 1);
};

const barred = (playing: Across, what: string, answer: Answer, { status }: Refused): void =>
  note(playing, what, statusFault(answer, status));

export const base = (where: Where, { path }: RelatedPlan): string =>
  where === 'admin' ? `/admin/records/${path}` : `/api/v1/${path}`;

/** The reader of a request: credentials are checked, also where records are public. */
export const readerOf = (playing: Across, caller: Asking, where: Where): Reader =>
  new Reader(playing, caller, where);

/** The fields that a caller reads of the records that a request is about. */
export const viewsOf = (reader: Reader, plan: RelatedPlan, of: 'detail' | 'list', action = of) => {
  const view = reader.views(plan, action)[of];
  return { view, known: [...view, ...(reader.of(plan.name)?.detail ?? [])] };
};

/** The second oracle: the answer of the other model's own endpoint to the same caller. */
interface Sample {
  readonly model: string;
  readonly id: Id;
  /** The value in the answer; undefined when it is absent, or null. */
  readonly answered: Plain | undefined;
}

const samplesOf = (reader: Reader, plan: RelatedPlan, row: Plain, answered: Plain, tree: Tree): Sample[] =>
  [...tree].flatMap(([name, { behind }]) => {
    const { relation } = follow(
      reader,
      plan,
      plan.all.map((each) => each.name),
      name,
    );
    const { state, persons } = reader.data;
    const read = new Map(reader.of(relation.to)?.rows.map((each) => [each['id'], each]));
    const stored = relation.to === 'User' ? persons : state.rows(relation.to);
    // A record that is read leads by the fields that it shows.
    const rows = stored.map((each: Plain) => read.get(each['id']) ?? each);
    // Only reachable links lead on: a caller who does not read a link does not read that it leads anywhere.
    const links = relation.through && reader.of(relation.through.model)?.rows;
    const ends = reached(reader, relation, row);
    const value = answered[name] as Plain | readonly Plain[] | null;
    const shown = Array.isArray(value) ? value : value === null ? [] : [value];
    return ledTo(relation, row, rows, links ?? []).flatMap((end): Sample[] => {
      const index = ends.findIndex(({ id }) => id === end['id']);
      const sample = { model: relation.to, id: end['id'] as Id, answered: shown[index] };
      // No endpoint shows a caller the users whom a record shows.
      if (relation.shows === true && reader.where === 'api') return [];
      if (index === -1 || relation.to === 'User') return [sample];
      return [sample, ...samplesOf(reader, reader.planOf(relation.to), end, shown[index] ?? {}, behind)];
    });
  });

const demandAsAlone = async (
  playing: Across,
  reader: Reader,
  what: string,
  sample: Sample,
): Promise<void> => {
  const { model, id, answered } = sample;
  const { caller, where } = reader;
  const area = where === 'admin' ? '/admin' : '/api/v1';
  const isUser = model === 'User';
  const path = isUser
    ? `${area}/users?filter[id]=${id}`
    : `${base(where, reader.planOf(model))}/${inPath(id)}`;
  const alone = await ask(playing, caller, 'detail', path);
  const record = isUser
    ? (dataOf(alone) as readonly Plain[])[0]
    : alone.status === 200
      ? (dataOf(alone) as Plain)
      : undefined;
  const status = isUser && record === undefined ? 404 : alone.status;
  const fault = statusFault({ ...alone, status }, answered === undefined ? 404 : 200);
  const other = Object.entries(answered ?? {}).find(
    ([name, value]) =>
      record !== undefined && name in record && JSON.stringify(record[name]) !== JSON.stringify(value),
  );
  const differs = other && `${other[0]} of ${model} ${id} is ${JSON.stringify(other[1])}`;
  count(playing, `alone ${status}`);
  note(playing, `${what}: ${path}`, fault ?? differs);
};

export const playDetail = async (
  playing: Across,
  caller: Asking,
  where: Where,
  plan: RelatedPlan,
): Promise<void> => {
  const reader = readerOf(playing, caller, where);
  const { random, state } = playing;
  const { view, known } = viewsOf(reader, plan, 'detail');
  const { tree, parameters } = someIncludes(random, reader, plan, known);
  const rows = reader.rows(plan, 'detail');
  const read = isRefused(rows) ? [] : rows.map((row) => row['id'] as Id);
  const ids = read.length > 0 && random.chance(0.8) ? read : [...state.table(plan.name).keys()];
  const id = random.chance(0.02) ? missing[plan.key] : random.pick(ids);
  const lot = random.next();
  const path = `${base(reader.where, plan)}/${inPath(id)}${queryOf(parameters)}`;
  const what = `${reader.caller.name}: ${path}`;
  const answer = await ask(playing, reader.caller, 'detail', path);
  if (isRefused(rows)) return barred(playing, what, answer, rows);
  const row = rows.find((each) => each['id'] === id);
  const render = () => renderer(reader, plan, view, known, tree);
  const wanted = wantedOf([render], () => (row === undefined ? undefined : render()(row)));
  if ('data' in wanted && row === undefined) return note(playing, what, statusFault(answer, 404));
  note(playing, what, faultOf(answer, wanted));
  if (!('data' in wanted) || row === undefined || answer.status !== 200) return;
  if (view.some((field) => !Object.hasOwn(row, field))) count(playing, 'detail with a hidden field');
  const samples = samplesOf(reader, plan, row, dataOf(answer) as Plain, tree);
  for (let nth = 0; nth < Math.min(4, samples.length); nth += 1) {
    const sample = samples[Math.floor(lot * samples.length + nth * 7) % samples.length];
    if (sample !== undefined) await demandAsAlone(playing, reader, what, sample);
  }
};

export interface ListAsked {
  readonly filters: readonly FilterAsked[];
  readonly sort: readonly SortAsked[];
}

export const someRows = (
  playing: Across,
  reader: Reader,
  plan: RelatedPlan,
  views: ReturnType<typeof viewsOf>,
): ListAsked => {
  const { random } = playing;
  const filters = new Map<string, FilterAsked>();
  for (let nth = random.below(3); nth > 0; nth -= 1) {
    const filter = someFilter(random, reader, plan, views);
    filters.set(filterParameter(filter)[0], filter);
  }
  return { filters: [...filters.values()], sort: someSort(random, reader, plan, views) };
};

export const parametersOf = ({ filters, sort }: ListAsked): Parameter[] => [
  ...filters.map(filterParameter),
  ...(sort.length === 0 ? [] : [['sort', sort.map(sortText).join(',')] as const]),
];

/** The rows that a list has, in their order, with the checks that may refuse it. */
export const listed = (
  reader: Reader,
  plan: RelatedPlan,
  { filters, sort }: ListAsked,
  views: ReturnType<typeof viewsOf>,
) => {
  const parts = [
    ...filters.map((filter) => () => matcher(reader, plan, filter, views)),
    () => sorter(reader, plan, sort, views),
  ];
  const find = (rows: readonly Plain[]): readonly Plain[] => {
    const matchers = filters.map((filter) => matcher(reader, plan, filter, views));
    return rows
      .filter((row) => matchers.every((matches) => matches(row)))
      .sort(sorter(reader, plan, sort, views));
  };
  return { parts, find };
};

const nextOf = ({ headers }: Answer): string | undefined => {
  const link = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
  return link === undefined ? undefined : (new URL(link).searchParams.get('after') ?? undefined);
};

export const playList = async (
  playing: Across,
  caller: Asking,
  where: Where,
  plan: RelatedPlan,
): Promise<void> => {
  const { random } = playing;
  const reader = readerOf(playing, caller, where);
  const views = viewsOf(reader, plan, 'list');
  const asked = someRows(playing, reader, plan, views);
  const { tree, parameters } = random.chance(0.7)
    ? someIncludes(random, reader, plan, views.known)
    : { tree: new Map() as Tree, parameters: [] };
  const [page, perPage] = [1 + random.below(2), 1 + random.below(5)];
  const chosen = random.chance(0.3) ? random.some(views.view, 0.4, 1) : undefined;
  const walks = random.chance(0.4);
  const fields = chosen === undefined ? views.view : views.view.filter((name) => chosen.includes(name));
  const common: readonly Parameter[] = [
    ...parametersOf(asked),
    ...parameters,
    ...(chosen === undefined ? [] : [['fields', chosen.join(',')] as const]),
  ];
  const url = base(where, plan);
  const what = `${caller.name}: ${url}${queryOf(common)}`;
  const paged = (...more: Parameter[]) => ask(playing, caller, 'list', url + queryOf([...common, ...more]));
  const answer = await paged(['page', `${page}`], ['per_page', `${perPage}`]);
  const rows = reader.rows(plan, 'list');
  if (isRefused(rows)) return barred(playing, what, answer, rows);
  const { parts, find } = listed(reader, plan, asked, views);
  const render = () => renderer(reader, plan, fields, views.known, tree);
  const all = wantedOf([...parts, render], () => find(rows).map(render()));
  if (!('data' in all)) return note(playing, what, faultOf(answer, all));
  const { data } = all;
  const slice = { data: data.slice((page - 1) * perPage, page * perPage) };
  note(playing, `${what} page ${page} of ${perPage}`, faultOf(answer, slice));
  const total = Number(answer.headers['x-total-count']);
  if (answer.status === 200 && total !== data.length)
    note(playing, what, `a total of ${total}, not ${data.length}`);
  if (tree.size === 0) note(playing, `${what} whole`, faultOf(await paged(), all));
  await playCount(playing, reader, plan, asked, data.length);
  if (!walks) return;
  const walked: unknown[] = [];
  for (let after: string | undefined = ''; after !== undefined && walked.length <= data.length; ) {
    const step = await paged(['per_page', `${perPage}`], ['after', after]);
    if (step.status !== 200) return note(playing, `${what} after`, statusFault(step, 200));
    walked.push(...(dataOf(step) as unknown[]));
    after = nextOf(step);
  }
  const [got, should] = [JSON.stringify(walked), JSON.stringify(data)];
  note(playing, `${what} by cursor`, got === should ? undefined : `${got}, not ${should}`);
};

/** The aggregate counts what the list has. */
const playCount = async (
  playing: Across,
  { caller, where }: Reader,
  plan: RelatedPlan,
  { filters }: ListAsked,
  wanted: number,
): Promise<void> => {
  const query = queryOf([['count', ''], ...filters.map(filterParameter)]);
  const path = `${base(where, plan)}/aggregate${query}`;
  const answer = await ask(playing, caller, 'list', path);
  note(playing, `${caller.name}: ${path}`, faultOf(answer, { data: [{ count: wanted }] }));
};

/** The same through `records(…)` of an application's code, by its caller or on its own account. */
export const playScope = async (playing: Across, caller: Asking, plan: RelatedPlan): Promise<void> => {
  const { random } = playing;
  const system = random.chance(0.3);
  const reader = new Reader(playing, caller, system ? 'system' : 'api');
  // Code gets records in their detail view, by the rights of a list.
  const views = viewsOf(reader, plan, 'detail', 'list');
  const asked = someRows(playing, reader, plan, views);
  const conditions = new Map<string, Record<string, unknown>>();
  for (const { path, field, operator, operand } of asked.filters) {
    const name = [...path, field].join('.');
    conditions.set(name, { ...conditions.get(name), [operator]: operand });
  }
  const filter = Object.fromEntries(conditions);
  const body = JSON.stringify({ model: plan.name, system, filter, sort: asked.sort.map(sortText) });
  const answer = await playing.inject({
    method: 'POST',
    path: '/api/v1/looks-across',
    headers: { ...caller.headers(body), 'content-type': 'application/json' },
    body,
  });
  count(playing, `scope ${answer.status}`);
  const what = `${caller.name}: scope ${body}`;
  if (caller.method === undefined) return note(playing, what, statusFault(answer, 401));
  const rows = reader.rows(plan, 'list');
  // A scope forbids an endpoint that takes another method of authentication.
  if (isRefused(rows)) return note(playing, what, statusFault(answer, 403));
  const { parts, find } = listed(reader, plan, asked, views);
  const render = renderer(reader, plan, views.view, views.known, new Map());
  note(
    playing,
    what,
    faultOf(
      answer,
      wantedOf(parts, () => ({ records: find(rows).map(render), total: find(rows).length })),
    ),
  );
};
