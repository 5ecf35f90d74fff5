/**
 * Cuts a text into the terms by which it is found. Words of Latin letters and digits stay whole. Chinese has no spaces:
 * every Han character begins a term of two, and the last of a run is a term by itself, so that a word is found by its
 * pairs and a single character by the terms that begin with it.
 *
 * VitePress sends the source of this function to the browser: it uses nothing from outside.
 */
export const tokenize = (text: string): string[] =>
  (text.match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu) ?? []).flatMap((run) => {
    if (!/\p{Script=Han}/u.test(run)) return [run];
    const characters = [...run];
    return characters.map((character, at) => character + (characters[at + 1] ?? ''));
  });
