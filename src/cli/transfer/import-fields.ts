import { nearestHint } from '../../kernel/options.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';

/** The use of a name in a file: its field is written, or passed over, or there is none. */
export type NameRole =
  | { readonly kind: 'written'; readonly field: ModelField }
  | { readonly kind: 'passed' }
  | { readonly kind: 'unknown'; readonly message: string };

/** The meanings of the names in a file. */
export class ImportFields {
  readonly #roles = new Map<string, NameRole>();
  readonly #model: ResourceModel;
  readonly #writable: ReadonlySet<string>;
  /** The field that finds what a line updates. */
  readonly by: string | undefined;
  readonly #passing: (name: string) => void;

  /**
   * `writable`: the fields that the user may write; `by`: the field that finds what a line updates. `passing` is called once
   * of each field that is passed over.
   */
  constructor(
    model: ResourceModel,
    writable: ReadonlySet<string>,
    by: string | undefined,
    passing: (name: string) => void,
  ) {
    this.#model = model;
    this.#writable = writable;
    this.by = by;
    this.#passing = passing;
  }

  role(name: string): NameRole {
    const known = this.#roles.get(name);
    if (known !== undefined) return known;
    const role = this.#look(name);
    // An unknown field may have any number of names.
    if (role.kind !== 'unknown') this.#roles.set(name, role);
    if (role.kind === 'passed') this.#passing(name);
    return role;
  }

  #look(name: string): NameRole {
    const { fields } = this.#model;
    const field = fields.get(name);
    if (field === undefined) {
      const shown = JSON.stringify(name.slice(0, 60));
      return {
        kind: 'unknown',
        message: `there is no field ${shown}${nearestHint(name.slice(0, 60), fields.keys())}`,
      };
    }
    const written = name === this.by || (!field.serverSet && this.#writable.has(name));
    return written ? { kind: 'written', field } : { kind: 'passed' };
  }
}
