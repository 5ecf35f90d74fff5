/** Typed text that is no valid JSON: a form that holds one cannot be saved. */
export class NotJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const isNotJson = (value: unknown): value is NotJson => value instanceof NotJson;
