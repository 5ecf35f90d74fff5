import type { HttpResponse } from './pipeline.ts';

/**
 * Paths at which a person's browser gets a page and every other client the envelope: the same address is a place in a
 * single-page application and the data that it shows.
 */
export interface PageArea {
  /** First part of the paths, base path included: `/admin`. */
  readonly path: string;
  /** The page, the same whatever is below the path; it finds out by itself where it is. */
  page(): HttpResponse;
}

/** Whether an `Accept` header names `text/html`; a wildcard names nothing (RFC 9110, 12.5.1: weight 0 refuses). */
export const namesHtml = (accept: string | undefined): boolean =>
  accept?.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  }) === true;

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The page to answer, if the request is for one. */
export const pageFor = (
  area: PageArea,
  method: string,
  accept: string | undefined,
): HttpResponse | undefined => (readMethods.has(method) && namesHtml(accept) ? area.page() : undefined);

/** The area that a path lies in. */
export const areaOf = (areas: readonly PageArea[], path: string): PageArea | undefined =>
  areas.find((area) => path === area.path || path.startsWith(`${area.path}/`));
