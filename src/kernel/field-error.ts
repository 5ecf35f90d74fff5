/** One violated rule of one field, as answered under `data.errors` of a validation error. */
export interface FieldError {
  /** Empty where the rule is of the record as a whole. */
  readonly field: string;
  readonly rule: string;
  /** The whole sentence, label included. */
  readonly message: string;
}
