import { hash } from 'node:crypto';
import type { Included } from '../store/relations/include.ts';

/** Entity tags of RFC 9110: `"<version>-<view>"`, strong. */
export const entityTag = (version: number, view: string): string => `"${version}-${view}"`;

/**
 * The tag of an answer that may hold related records, which change without the record: it then goes by what is answered.
 * The version leads it all the same, and is what `If-Match` compares.
 */
export const tagOf = (json: string, version: number, view: string, { included }: Included): string => {
  if (included.length === 0) return entityTag(version, view);
  const digest = hash('sha256', json, 'base64url').slice(0, 22);
  return `"${version}-${view}-${digest}"`;
};

const tags = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * The versions that `If-Match` accepts: undefined for any (no header, or `*`), an empty list where no tag in it can be
 * one of ours, weak ones included, since If-Match compares strongly.
 */
export const acceptedVersions = (ifMatch: string | undefined): readonly number[] | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const versions = (ifMatch.match(tags) ?? []).flatMap((tag) => {
    const version = /^"([1-9]\d{0,15})-[a-z]+(?:-[\w-]{22})?"$/.exec(tag)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
  return [...new Set(versions)].slice(0, 50);
};

/** Whether `If-None-Match` names this tag; the comparison is weak, `*` matches whatever is there. */
export const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(tags) ?? []).some((known) => known.replace(/^W\//, '') === tag);
};
