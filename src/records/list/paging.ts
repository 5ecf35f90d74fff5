import { encodeCursor, parsePlace } from './cursor.ts';
import { type Links, linkHeader } from './links.ts';
import type { ListParameters } from './parameters.ts';
import type { PreparedList } from './plan.ts';
import type { PageEnds } from './run.ts';
import { isBackward } from './shape.ts';
import type { PageRow } from './statements.ts';

/** What a page tells of the pages around it. */

export interface ListHeaders {
  /** All records that match, on whatever page. */
  readonly 'X-Total-Count'?: string;
  readonly Link?: string;
}

/** Cursors to the pages beside one that is told by cursor. */
export interface Beside {
  readonly next: string | undefined;
  readonly prev: string | undefined;
}

export const alone: Beside = { next: undefined, prev: undefined };

/** The cursor that begins a walk. */
const start = '';

/** The places of a page's ends; undefined where it is empty, or they are told by number. */
export const endsOf = (
  { plan, parameters: { paging } }: PreparedList,
  row: PageRow,
): PageEnds | undefined => {
  if (plan.places === undefined || row.place == null) return undefined;
  if (plan.places === 'key') return { first: [row.first ?? row.place], last: [row.place] };
  const lines = String(row.place);
  // Only behind a cursor does anybody ask for the first.
  return { first: paging.kind === 'after' ? parsePlace(lines, 'first') : undefined, last: parsePlace(lines) };
};

/**
 * Cursors to the pages beside this one. The way back leads to the rows before the first of this page, not to the page
 * before: so no row is skipped or met twice while others write, in whichever direction somebody goes.
 */
export const besideOf = (
  { parameters: { sort, paging } }: PreparedList,
  row: PageRow,
  ends: PageEnds | undefined,
): Beside => {
  const next = ends?.last && encodeCursor(sort, ends.last);
  const prev = ends?.first && encodeCursor(sort, ends.first, 'before');
  if (paging.kind === 'page')
    return { next: Number(row.total ?? 0) > paging.perPage ? next : undefined, prev: undefined };
  const more = row.more != null;
  if (paging.kind !== 'after') return alone;
  // Behind a page that was found backwards is at least the one from which somebody came.
  if (paging.before === true) return { next: next ?? start, prev: more ? prev : undefined };
  if (paging.values.length === 0) return { next: more ? next : undefined, prev: undefined };
  return { next: more ? next : undefined, prev: prev ?? encodeCursor(sort, [], 'before') };
};

const pageLinks = (page: number, perPage: number, total: number): Links => {
  const last = Math.max(1, Math.ceil(total / perPage));
  const link = (number: number): string => `page=${number}&per_page=${perPage}`;
  return {
    first: link(1),
    last: link(last),
    ...(page > 1 && { prev: link(Math.min(page - 1, last)) }),
    ...(page < last && { next: link(page + 1) }),
  };
};

/** Links of a caller who counts no pages. */
const cursorLinks = (perPage: number, { next, prev }: Beside): Links => {
  const link = (cursor: string): string => `per_page=${perPage}&after=${cursor}`;
  return {
    first: `per_page=${perPage}`,
    ...(prev !== undefined && { prev: link(prev) }),
    ...(next !== undefined && { next: link(next) }),
  };
};

export const pageHeaders = (
  { paging, shared }: Pick<ListParameters, 'paging' | 'shared'>,
  path: string,
  total: number,
  beside: Beside,
): ListHeaders => {
  if (paging.kind === 'all') return {};
  const { perPage } = paging;
  if (paging.kind === 'after') return { Link: linkHeader(path, shared, cursorLinks(perPage, beside)) };
  const pages = pageLinks(paging.page, perPage, total);
  const links = paging.numbered ? pages : { last: pages.last, ...cursorLinks(perPage, beside) };
  return { 'X-Total-Count': String(total), Link: linkHeader(path, shared, links) };
};

/** The ends that the rows of a streamed page keep to: those for which it was answered a cursor. */
export const streamedEnds = (
  { plan }: PreparedList,
  { next }: Beside,
  ends: PageEnds | undefined,
): PageEnds => {
  if (next === undefined || ends === undefined) return {};
  return isBackward(plan.shape) ? ends : { last: ends.last };
};
