/** Collects the schemas, parameters and responses that operations share under `components`. */

import { withIdTypes } from '../../fields/keys.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { portable } from './portable.ts';

type Section = 'schemas' | 'responses' | 'parameters' | 'headers';

/** A name of letters and digits only, as code generators require: `filter.user.name` becomes `filterUserName`. */
export const componentName = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_whole, next: string) => next.toUpperCase());

/** The parts of a description that operations share. Equal parts are stored once. */
export class Components {
  readonly #sections = new Map<Section, Map<string, string>>();
  /** Names in lower case, as generators may change the case of letters. */
  readonly #taken = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #hasTextIds: boolean;

  /** @param hasTextIds whether a model has a key other than an integer */
  constructor(hasTextIds: boolean) {
    this.#hasTextIds = hasTextIds;
  }

  /** A schema as the description has it. */
  portable(schema: JsonObject): JsonObject {
    return portable(withIdTypes(schema, this.#hasTextIds));
  }

  /**
   * Adds a part under a name and returns a reference to it. An equal part of the same `family` is not added again,
   * whatever its name; a different part of the same name gets a number.
   */
  add(section: Section, name: string, part: JsonObject, family = name): JsonObject {
    const text = JSON.stringify(section === 'schemas' ? this.portable(part) : part);
    const identity = `${section} ${family} ${text}`;
    const existing = this.#names.get(identity);
    if (existing !== undefined) return { $ref: existing };
    const free = this.#take(section, name);
    this.#sectionOf(section).set(free, text);
    const reference = `#/components/${section}/${free}`;
    this.#names.set(identity, reference);
    return { $ref: reference };
  }

  /**
   * Adds a part that is identified by its name and may refer to itself; it is created at the first request for the
   * name.
   */
  addNamed(section: Section, name: string, make: () => JsonObject): JsonObject {
    const existing = this.#names.get(`${section} ${name}`);
    if (existing !== undefined) return { $ref: existing };
    const free = this.#take(section, name);
    const reference = `#/components/${section}/${free}`;
    this.#names.set(`${section} ${name}`, reference);
    this.#sectionOf(section).set(free, JSON.stringify(this.portable(make())));
    return { $ref: reference };
  }

  #sectionOf(section: Section): Map<string, string> {
    const parts = this.#sections.get(section) ?? new Map<string, string>();
    this.#sections.set(section, parts);
    return parts;
  }

  /** A name that is unused in this section. */
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
