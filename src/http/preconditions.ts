/** Entity tags and conditional requests (RFC 9110): `ETag`, `If-Match`, `If-None-Match`. */

import { hash } from 'node:crypto';
import type { Locale } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import type { Grant } from '../policy/grant.ts';
import type { Included } from '../records/relations.ts';

/** Entity tags of RFC 9110: `"<version>-<view>"`, strong. */
export const entityTag = (version: number, view: string): string => `"${version}-${view}"`;

/** The tag of a response in one of several languages. */
export const tagOfVariant = (tag: string, language: Locale | undefined): string =>
  language === undefined ? tag : `${tag.slice(0, -1)}.${language}"`;

/**
 * The tag of a response. One that changes without the record has a digest of the response: with related records, and
 * with fields that this caller sees in some records only. The version comes first all the same; `If-Match` compares
 * only that.
 */
export const tagOf = (
  json: string,
  version: number,
  view: string,
  { included }: Included,
  { mask }: Pick<Grant, 'mask'>,
): string => {
  if (included.length === 0 && mask === undefined) return entityTag(version, view);
  const digest = hash('sha256', json, 'base64url').slice(0, 22);
  return `"${version}-${view}-${digest}"`;
};

const tags = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** The conditional headers of a request. */
interface Conditional {
  header(name: string): string | undefined;
}

/**
 * The versions that a write accepts. Undefined for any (no header, or `If-Match: *`). Empty if no tag can match, since
 * If-Match compares strongly and weak tags never do, and for `If-None-Match: *`, which demands that no record exists.
 */
export const acceptedVersions = (request: Conditional): readonly number[] | undefined => {
  if (request.header('if-none-match')?.trim() === '*') return [];
  const ifMatch = request.header('if-match');
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const versions = (ifMatch.match(tags) ?? []).flatMap((tag) => {
    const version = /^"(0|[1-9]\d{0,15})-[a-z]+(?:-[\w-]{22})?(?:\.[A-Za-z\d-]+)?"$/.exec(tag)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
  return [...new Set(versions)].slice(0, 50);
};

/**
 * Evaluates the conditions of a read (RFC 9110, 13.2.2): `If-Match` first, which compares strongly, then
 * `If-None-Match`, which compares weakly. `*` matches any record. @returns whether the caller has this tag
 * @throws Problem `stale`
 */
export const isKnown = (request: Conditional, tag: string): boolean => {
  const [ifMatch, ifNoneMatch] = [request.header('if-match'), request.header('if-none-match')];
  const names = (header: string, isWeak: boolean): boolean =>
    header.trim() === '*' ||
    (header.match(tags) ?? []).some((known) => (isWeak ? known.replace(/^W\//, '') : known) === tag);
  if (ifMatch !== undefined && !names(ifMatch, false)) throw new Problem('stale');
  return ifNoneMatch !== undefined && names(ifNoneMatch, true);
};
