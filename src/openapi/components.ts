import type { Json, JsonObject } from '../kernel/json.ts';
import { portable } from './portable.ts';

type Section = 'schemas' | 'responses' | 'parameters' | 'headers';

/** A name in letters and digits only, as generators of code take it: `filter.user.name` is `filterUserName`. */
export const componentName = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_whole, next: string) => next.toUpperCase());

/** The parts of a description that operations share. What is the same is there once. */
export class Components {
  readonly #sections = new Map<Section, Map<string, string>>();
  /** Names in lower case, as generators may change that of letters. */
  readonly #taken = new Set<string>();
  readonly #names = new Map<string, string>();

  /**
   * Adds a part under a name and answers a reference to it. The same part under the same `family` is not added again,
   * whatever it would be called; another part of the name gets a number behind it.
   */
  add(section: Section, name: string, part: JsonObject, family = name): JsonObject {
    const text = JSON.stringify(section === 'schemas' ? portable(part) : part);
    const identity = `${section} ${family} ${text}`;
    const known = this.#names.get(identity);
    if (known !== undefined) return { $ref: known };
    const parts = this.#sections.get(section) ?? new Map<string, string>();
    this.#sections.set(section, parts);
    const plain = componentName(name);
    const isTaken = (each: string): boolean => this.#taken.has(`${section} ${each.toLowerCase()}`);
    let free = plain;
    for (let number = 2; isTaken(free); number += 1) free = `${plain}No${number}`;
    this.#taken.add(`${section} ${free.toLowerCase()}`);
    parts.set(free, text);
    const reference = `#/components/${section}/${free}`;
    this.#names.set(identity, reference);
    return { $ref: reference };
  }

  /** Adds a part whose name is its own, and which may lead to itself; it is made where nobody has asked for it before. */
  addNamed(section: Section, name: string, make: () => JsonObject): JsonObject {
    const parts = this.#sections.get(section) ?? new Map<string, string>();
    this.#sections.set(section, parts);
    const plain = componentName(name);
    if (!parts.has(plain)) {
      this.#taken.add(`${section} ${plain.toLowerCase()}`);
      parts.set(plain, '{}');
      parts.set(plain, JSON.stringify(portable(make())));
    }
    return { $ref: `#/components/${section}/${plain}` };
  }

  toJson(): JsonObject {
    const sections = [...this.#sections].map(([section, parts]): [string, Json] => {
      const entries = [...parts].map(([name, text]): [string, Json] => [name, JSON.parse(text) as Json]);
      return [section, Object.fromEntries(entries)];
    });
    return Object.fromEntries(sections);
  }
}
