/** One violated rule of one field: an item of `data.errors` in a validation error. */
export interface FieldError {
  /** Empty where the rule concerns the record as a whole. */
  readonly field: string;
  readonly rule: string;
  /** The whole sentence, label included. */
  readonly message: string;
}
