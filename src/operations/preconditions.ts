/** Entity tags of RFC 9110: `"<version>-<view>"`, strong. */
export const entityTag = (version: number, view: string): string => `"${version}-${view}"`;

const tags = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * The versions that `If-Match` accepts: undefined for any (no header, or `*`), an empty list where no tag in it can be
 * one of ours, weak ones included, since If-Match compares strongly.
 */
export const acceptedVersions = (ifMatch: string | undefined): readonly number[] | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const versions = (ifMatch.match(tags) ?? []).flatMap((tag) => {
    const version = /^"([1-9]\d{0,15})-[a-z]+"$/.exec(tag)?.[1];
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
