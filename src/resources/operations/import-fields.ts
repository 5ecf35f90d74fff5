/** The meanings of the names in a file that is imported. */

import { nearestHint } from '../../kernel/options.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';

/** The use of a name in a file: its field is written or skipped, or does not exist. */
export type NameRole =
  | { readonly kind: 'written'; readonly field: ModelField }
  | { readonly kind: 'passed' }
  | { readonly kind: 'unknown'; readonly name: string; readonly hint: string };

/** The meanings of the names in a file. */
export class ImportFields {
  readonly #roles = new Map<string, NameRole>();
  readonly #model: ResourceModel;
  readonly #writable: ReadonlySet<string>;
  /** The field by which a line finds the record that it updates. */
  readonly by: string | undefined;
  readonly #onSkipped: (name: string) => void;
  readonly #isNamed: (name: string) => boolean;

  /**
   * @param writable the fields that the user may write
   * @param by the field by which a line finds the record that it updates
   * @param onSkipped called once for each skipped field
   * @param isNamed whether a field may be named to the user; one that may not counts as unknown
   */
  constructor(
    model: ResourceModel,
    writable: ReadonlySet<string>,
    by: string | undefined,
    onSkipped: (name: string) => void,
    isNamed: (name: string) => boolean = () => true,
  ) {
    this.#model = model;
    this.#writable = writable;
    this.by = by;
    this.#onSkipped = onSkipped;
    this.#isNamed = isNamed;
  }

  role(name: string): NameRole {
    const known = this.#roles.get(name);
    if (known !== undefined) return known;
    const role = this.#look(name);
    // There may be any number of unknown names.
    if (role.kind !== 'unknown') this.#roles.set(name, role);
    if (role.kind === 'passed') this.#onSkipped(name);
    return role;
  }

  /** The names that a hint may contain. */
  *#named(): Generator<string> {
    for (const name of this.#model.fields.keys()) if (this.#isNamed(name)) yield name;
  }

  #look(name: string): NameRole {
    const { fields } = this.#model;
    const field = fields.get(name);
    if (field === undefined || !this.#isNamed(name)) {
      const shown = name.slice(0, 60);
      return { kind: 'unknown', name: JSON.stringify(shown), hint: nearestHint(shown, this.#named()) };
    }
    const written = name === this.by || (!field.serverSet && this.#writable.has(name));
    return written ? { kind: 'written', field } : { kind: 'passed' };
  }
}
