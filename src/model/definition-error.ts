/** A mistake in a definition, reported to its developer when the application is loaded; callers never see it. */
export class DefinitionError extends Error {
  /** The model, or another definition: `endpoint GET /reports`. */
  readonly model: string;
  readonly field: string | undefined;

  constructor(model: string, message: string, field?: string) {
    super(field === undefined ? `${model}: ${message}` : `${model}.${field}: ${message}`);
    this.name = 'DefinitionError';
    this.model = model;
    this.field = field;
  }
}
