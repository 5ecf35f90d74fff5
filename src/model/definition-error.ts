/** A mistake in a definition, told to whoever wrote it when the application is loaded; no caller ever sees it. */
export class DefinitionError extends Error {
  /** The model, or what else is defined: `endpoint GET /reports`. */
  readonly model: string;
  readonly field: string | undefined;

  constructor(model: string, message: string, field?: string) {
    super(field === undefined ? `${model}: ${message}` : `${model}.${field}: ${message}`);
    this.name = 'DefinitionError';
    this.model = model;
    this.field = field;
  }
}
