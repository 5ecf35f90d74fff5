import { answerFields, bodyFields, partOfParameter } from './fields.js';
import { addressOf } from './places.js';

/** Everything of the description that somebody may look for, in memory. */

/**
 * @typedef {import('./description.js').Description} Description
 * @typedef {'operations' | 'topics' | 'fields' | 'errors' | 'texts'} Kind
 * @typedef {{ kind: Kind, title: string, note: string, href: string, verb?: string, hay: string }} Entry
 * @typedef {{ entry: Entry, rank: number }} Hit
 */

/** @type {readonly Kind[]} */
export const kinds = ['operations', 'fields', 'errors', 'topics', 'texts'];

/** @param {Omit<Entry, 'hay'>} entry @param {string} [more] @returns {Entry} */
const entryOf = (entry, more = '') => ({
  ...entry,
  hay: `${entry.title} ${entry.note} ${more}`.toLowerCase(),
});

/**
 * The sections of the handbook, which the service has as data.
 * @param {readonly { title: string, page: string, text: string, href: string }[]} topics
 * @param {Map<string, Entry>} entries @param {string} root the address of the handbook, with a slash at its end
 */
export const addTopics = (topics, entries, root) => {
  for (const { title, page, text, href } of topics)
    entries.set(
      `topic ${href}`,
      entryOf({
        kind: 'topics',
        title,
        note: title === page ? text : `${page} · ${text}`,
        href: root + href,
      }),
    );
};

/**
 * One entry for a field of a model, however many operations have it, and one for a code: it leads to the first of them,
 * and those for everybody come before those of administrators.
 * Made step by step, an operation at a time, so that the page does not wait for it.
 * @param {Description} description @param {Map<string, Entry>} entries @returns {Generator<void>}
 */
export const indexing = function* ({ groups, resolve }, entries) {
  const ordered = [...groups].sort(
    (one, other) => Number(one.isAdministrative) - Number(other.isAdministrative),
  );
  /** @param {string} key @param {() => Entry} make */
  const add = (key, make) => {
    if (!entries.has(key)) entries.set(key, make());
  };
  for (const { title: group, operations } of ordered)
    for (const operation of operations) {
      yield;
      const { id, method, path, summary, description = '' } = operation;
      const at = (/** @type {string} */ part) => addressOf(id, part);
      add(`operation ${id}`, () =>
        entryOf({ kind: 'operations', title: summary, note: path, href: addressOf(id), verb: method }, id),
      );
      if (description !== '')
        add(`text ${description}`, () =>
          entryOf({
            kind: 'texts',
            title: description.replaceAll('`', ''),
            note: summary,
            href: addressOf(id),
          }),
        );
      for (const { name, description: words = '' } of operation.parameters)
        add(`field ${group} ${name}`, () =>
          entryOf({ kind: 'fields', title: name, note: group, href: at(partOfParameter(name)) }, words),
        );
      for (const { path: name, part, words } of [
        ...bodyFields(operation, resolve),
        ...answerFields(operation, resolve),
      ]) {
        const last = name.split('.').at(-1) ?? name;
        add(`field ${group} ${last}`, () =>
          entryOf({
            kind: 'fields',
            title: last,
            note: words === '' ? group : `${group} · ${words}`,
            href: at(part),
          }),
        );
      }
      for (const { refusals } of operation.replies)
        for (const { code, name, message } of refusals)
          add(`error ${code}`, () =>
            entryOf({ kind: 'errors', title: `${code} ${name}`, note: message, href: at(`error.${code}`) }),
          );
    }
};

/** How well an entry fits; undefined where a word is nowhere in it. @param {Entry} entry @param {readonly string[]} words */
const rankOf = ({ hay, title }, words) => {
  let rank = 0;
  for (const word of words) {
    const at = hay.indexOf(word);
    if (at < 0) return undefined;
    rank += at === 0 ? 0 : at < title.length ? 1 : 2;
  }
  return rank * 200 + Math.min(title.length, 199);
};

/** Maximum number of hits of each kind. */
const maxHits = 8;

/** @param {Iterable<Entry>} entries @param {string} text @returns {Map<Kind, Entry[]>} */
export const find = (entries, text) => {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  /** @type {Map<Kind, Entry[]>} */
  const found = new Map();
  if (words.length === 0) return found;
  /** @type {Hit[]} */
  const hits = [];
  for (const entry of entries) {
    const rank = rankOf(entry, words);
    if (rank !== undefined) hits.push({ entry, rank });
  }
  hits.sort((one, other) => one.rank - other.rank);
  for (const kind of kinds) {
    const own = hits.filter(({ entry }) => entry.kind === kind).slice(0, maxHits);
    if (own.length > 0)
      found.set(
        kind,
        own.map(({ entry }) => entry),
      );
  }
  return found;
};

/** The parts of a text, those that were looked for marked. @param {string} text @param {string} asked @returns {{ text: string, hit: boolean }[]} */
export const marked = (text, asked) => {
  const words = asked.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [{ text, hit: false }];
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text
    .split(new RegExp(`(${pattern})`, 'gi'))
    .map((part, index) => ({ text: part, hit: index % 2 === 1 }))
    .filter(({ text: part }) => part !== '');
};

/** A long text around its first hit. @param {string} text @param {string} asked */
export const excerpt = (text, asked) => {
  const [word = ''] = asked
    .toLowerCase()
    .split(/\s+/)
    .filter((each) => each !== '');
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  const part = text.slice(at, at + 120);
  return `${at > 0 ? '…' : ''}${part}${at + 120 < text.length ? '…' : ''}`;
};
