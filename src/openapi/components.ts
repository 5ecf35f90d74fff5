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
    const free = this.#take(section, name);
    this.#sectionOf(section).set(free, text);
    const reference = `#/components/${section}/${free}`;
    this.#names.set(identity, reference);
    return { $ref: reference };
  }

  /** Adds a part that is known by its name and may lead to itself; it is made at the first request for that name. */
  addNamed(section: Section, name: string, make: () => JsonObject): JsonObject {
    const known = this.#names.get(`${section} ${name}`);
    if (known !== undefined) return { $ref: known };
    const free = this.#take(section, name);
    const reference = `#/components/${section}/${free}`;
    this.#names.set(`${section} ${name}`, reference);
    this.#sectionOf(section).set(free, JSON.stringify(portable(make())));
    return { $ref: reference };
  }

  #sectionOf(section: Section): Map<string, string> {
    const parts = this.#sections.get(section) ?? new Map<string, string>();
    this.#sections.set(section, parts);
    return parts;
  }

  /** A name in this section that no other part has. */
  #take(section: Section, name: string): string {
    const plain = componentName(name);
    const isTaken = (each: string): boolean => this.#taken.has(`${section} ${each.toLowerCase()}`);
    let free = plain;
    for (let number = 2; isTaken(free); number += 1) free = `${plain}No${number}`;
    this.#taken.add(`${section} ${free.toLowerCase()}`);
    return free;
  }

  toJson(): JsonObject {
    const sections = [...this.#sections].map(([section, parts]): [string, Json] => {
      const entries = [...parts].map(([name, text]): [string, Json] => [name, JSON.parse(text) as Json]);
      return [section, Object.fromEntries(entries)];
    });
    return Object.fromEntries(sections);
  }
}
