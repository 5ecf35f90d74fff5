import {
  type Answer,
  ask,
  dataOf,
  note,
  type Playing,
  recordFault,
  recordsFault,
  refusalFault,
  statusFault,
} from './asking.ts';
import { type Id, inPath } from './ids.ts';
import { type ListAsked, queryOf, someList } from './lists.ts';
import { destroyed, isRefused, type Refused, shown, unusableFields, updated } from './oracle.ts';
import type { Asking } from './people.ts';
import type { FieldPlan, ModelPlan, Row } from './plan.ts';
import { compareValues } from './values.ts';

/**
 * Reads, each held to the oracle. Whatever is random of one is chosen before its first request: several run at a time,
 * and a seed has to find the same ones again.
 */

/** The parameter `after` of the link to the page behind, or before; undefined where there is none. */
const linkOf = ({ headers }: Answer, relation: 'next' | 'prev'): string | undefined => {
  const link = new RegExp(`<([^>]+)>; rel="${relation}"`).exec(String(headers['link'] ?? ''))?.[1];
  return link === undefined ? undefined : (new URL(link).searchParams.get('after') ?? undefined);
};

/** The number of rows of a list that have each value of a field, by the aggregate beside the list. */
const playAggregate = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  parameters: readonly (readonly [string, string])[],
  rows: readonly Row[],
): Promise<void> => {
  const asked = [
    ...parameters.filter(([name]) => name !== 'sort'),
    ['group', 'select'],
    ['count', ''],
  ] as const;
  const path = `/api/v1/${plan.path}/aggregate${queryOf(asked)}`;
  const answer = await ask(playing, caller, 'list', path);
  const values = [...new Set(rows.map((row) => row['select'] ?? null))];
  values.sort((a, b) => compareValues('enum', a, b));
  const wanted = values.map((select) => ({
    select,
    count: rows.filter((row) => (row['select'] ?? null) === select).length,
  }));
  if (unusableFields(plan, 'list', caller).has('select'))
    return note(playing, `${caller.name}: ${path}`, statusFault(answer, 400));
  const fault = statusFault(answer, 200);
  const got = fault === undefined ? JSON.stringify(dataOf(answer)) : '';
  note(playing, `${caller.name}: ${path}`, fault ?? (got === JSON.stringify(wanted) ? undefined : got));
};

/** Compares the explanation of a request for a record with the answer to the request. */
export const playExplanation = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  id: Id,
): Promise<void> => {
  const { random, people } = playing;
  const detail = shown(playing, plan, 'detail', caller);
  const read = isRefused(detail) ? detail.status : detail.some((row) => row['id'] === id) ? 200 : 404;
  const [changed, gone] = [updated(playing, plan, caller, id, {}), destroyed(playing, plan, caller, id)];
  const [method, status] = random.pick([
    ['GET', read],
    ['PATCH', isRefused(changed) ? changed.status : 200],
    // Records that refer to it are not considered.
    ['DELETE', isRefused(gone) && gone.status !== 409 ? gone.status : 200],
  ] as const);
  const path = `/admin/explain?${caller.explained}method=${method}&path=${encodeURIComponent(`/api/v1/${plan.path}/${inPath(id)}`)}`;
  const answer = await ask(playing, people.administrator, 'explain', path);
  const explained = answer.status === 200 ? (dataOf(answer) as { status: number }).status : answer.text;
  note(playing, `${caller.name}: ${path}`, explained === status ? undefined : `${explained}, not ${status}`);
};

/** A list with the pages of it that are looked at. */
export interface PagesAsked extends ListAsked {
  readonly perPage: number;
  readonly page: number;
  /** True if the walk along it looks back. */
  readonly goesBack: boolean;
}

/** The ids that a list compares a reference with. */
export const idsKnown =
  ({ state, users }: Playing) =>
  ({ to = '' }: FieldPlan): readonly Id[] =>
    to === 'User' ? users : [...state.table(to).keys()];

export const somePages = (playing: Playing, plan: ModelPlan): PagesAsked => ({
  ...someList(playing.random, plan, idsKnown(playing)),
  perPage: 1 + playing.random.below(4),
  page: 1 + playing.random.below(3),
  goesBack: playing.random.chance(0.5),
});

/** A page with an estimated total and with none, of so few rows that an estimate is exact. */
const playTotals = async (
  playing: Playing,
  caller: Asking,
  path: string,
  what: string,
  { found, more }: { readonly found: number; readonly more: boolean },
): Promise<void> => {
  for (const [total, wanted] of [
    ['estimate', `${found} eq`],
    ['none', 'undefined undefined'],
  ] as const) {
    const { status, headers } = await ask(playing, caller, 'list', `${path}&total=${total}`);
    const counts = `${headers['x-total-count']} ${headers['x-total-count-relation']}`;
    const goesOn = String(headers['link'] ?? '').includes('rel="next"');
    if (status !== 200 || counts !== wanted || goesOn !== more)
      note(playing, what, `total=${total}: ${status}, ${counts}, not ${wanted}; ${goesOn}, not ${more}`);
  }
};

/** The whole list, one page of it with its total, and a walk along it by cursor. */
export const playList = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  asked: PagesAsked,
): Promise<void> => {
  const { parameters, answer, page, perPage, goesBack } = asked;
  const rows = shown(playing, plan, 'list', caller);
  const path = `/api/v1/${plan.path}`;
  const what = `${caller.name}: list ${plan.name} ${queryOf(parameters)}`;
  const whole = await ask(playing, caller, 'list', path + queryOf(parameters));
  if (isRefused(rows)) return note(playing, what, refusalFault(whole, rows));
  const named = parameters.flatMap(([name, value]) =>
    name === 'sort'
      ? value.split(',').map((term) => term.replace('-', ''))
      : (/^filter\[(\w+)\]/.exec(name)?.[1] ?? []),
  );
  const unusable = unusableFields(plan, 'list', caller);
  if (named.some((name) => unusable.has(name))) return note(playing, what, statusFault(whole, 400));
  const wanted = answer(rows);
  note(playing, what, statusFault(whole, 200) ?? recordsFault(dataOf(whole), plan, wanted));
  await playAggregate(playing, plan, caller, parameters, wanted);
  const paged = [...parameters, ['page', String(page)], ['per_page', String(perPage)]] as const;
  // Twice: the second time the total may be a remembered one.
  for (const _ of [1, 2]) {
    const one = await ask(playing, caller, 'list', path + queryOf(paged));
    const slice = wanted.slice((page - 1) * perPage, page * perPage);
    note(playing, `${what} page ${page}`, statusFault(one, 200) ?? recordsFault(dataOf(one), plan, slice));
    const total = Number(one.headers['x-total-count']);
    if (total !== wanted.length) note(playing, what, `a total of ${total}, not ${wanted.length}`);
  }
  await playTotals(playing, caller, path + queryOf(paged), what, {
    found: wanted.length,
    more: page * perPage < wanted.length,
  });
  const walked: unknown[] = [];
  for (let after: string | undefined = ''; after !== undefined && walked.length <= wanted.length; ) {
    const cursor = [...parameters, ['per_page', String(perPage)], ['after', after]] as const;
    const step = await ask(playing, caller, 'list', path + queryOf(cursor));
    note(playing, `${what} after ${after}`, statusFault(step, 200));
    if (step.status !== 200) return;
    const before = linkOf(step, 'prev');
    if (before !== undefined && goesBack) {
      const cursor = [...parameters, ['per_page', String(perPage)], ['after', before]] as const;
      const back = await ask(playing, caller, 'list', path + queryOf(cursor));
      const slice = wanted.slice(Math.max(0, walked.length - perPage), walked.length);
      note(
        playing,
        `${what} before ${after}`,
        statusFault(back, 200) ?? recordsFault(dataOf(back), plan, slice),
      );
    }
    walked.push(...(dataOf(step) as unknown[]));
    after = linkOf(step, 'next');
  }
  note(playing, `${what} by cursor`, recordsFault(walked, plan, wanted));
};

export const playDetail = async (
  playing: Playing,
  plan: ModelPlan,
  caller: Asking,
  id: Id,
): Promise<void> => {
  const rows = shown(playing, plan, 'detail', caller);
  const row = isRefused(rows) ? undefined : rows.find((each) => each['id'] === id);
  const answer = await ask(playing, caller, 'detail', `/api/v1/${plan.path}/${inPath(id)}`);
  const refusal: Refused | undefined = isRefused(rows)
    ? rows
    : row === undefined
      ? { status: 404 }
      : undefined;
  const fault = refusal
    ? refusalFault(answer, refusal)
    : (statusFault(answer, 200) ?? recordFault(dataOf(answer), plan, row ?? {}));
  note(playing, `${caller.name}: detail ${plan.name} ${id}`, fault);
};
