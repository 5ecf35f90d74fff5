import type { HttpResponse } from './pipeline.ts';
import type { Request } from './request.ts';

/**
 * Paths that return a page to browsers and the envelope to all other clients: the same address is a view of a
 * single-page application and the data that it shows.
 */
export interface PageArea {
  /** First part of the paths, base path included: `/admin`. */
  readonly path: string;
  /** Returns the page, which is the same for all paths of the area, in the language of the request. */
  page(request: Pick<Request, 'language' | 'variant'>): HttpResponse;
}

/** Tells whether an `Accept` header names `text/html`, not by a wildcard, nor with weight 0 (RFC 9110, 12.5.1). */
export const namesHtml = (accept: string | undefined): boolean =>
  accept?.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  }) === true;

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Returns the page, or undefined when the request does not accept one. */
export const pageFor = (
  area: PageArea,
  request: Pick<Request, 'method' | 'header' | 'language' | 'variant'>,
): HttpResponse | undefined =>
  readMethods.has(request.method) && namesHtml(request.header('accept')) ? area.page(request) : undefined;

/** Returns the area of a path; undefined when it is in none. */
export const areaOf = (areas: readonly PageArea[], path: string): PageArea | undefined =>
  areas.find((area) => path === area.path || path.startsWith(`${area.path}/`));
