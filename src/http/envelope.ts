import { type Json, JsonText } from '../kernel/json.ts';
import type { Catalogue } from '../kernel/messages/catalogue.ts';
import type { Problem } from '../kernel/problem.ts';
import { problemText } from '../kernel/problem-text.ts';
import { FramedBytes } from './framed-bytes.ts';

/** The envelope of a success: `{"code":0,"message":…,"data":…}`; JSON text from the database is taken as it is. */
export class Envelope {
  readonly #catalogue: Catalogue;
  /** Everything up to the data, for the success text that nearly every answer has. */
  readonly #head: string;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#head = `{"code":0,"message":${JSON.stringify(catalogue.success)}`;
  }

  #start(message: string | undefined): string {
    return message === undefined ? this.#head : `{"code":0,"message":${JSON.stringify(message)}`;
  }

  success(data: Json | JsonText | undefined, message?: string): string | FramedBytes {
    const head = this.#start(message);
    if (data === undefined) return `${head}}`;
    const json = data instanceof JsonText ? data.text : JSON.stringify(data);
    const before = `${head},"data":`;
    return typeof json === 'string' ? `${before}${json}}` : new FramedBytes(before, json, '}');
  }

  /** The same around a long list, piece by piece. */
  async *pieces(chunks: AsyncIterable<string>, message?: string): AsyncGenerator<string> {
    let head: string | undefined = `${this.#start(message)},"data":`;
    for await (const chunk of chunks) {
      yield head === undefined ? chunk : head + chunk;
      head = undefined;
    }
    yield '}';
  }

  failure(problem: Problem): string {
    const message = problemText(this.#catalogue, problem);
    const data = problem.errors === undefined ? problem.data : { errors: problem.errors };
    return JSON.stringify({ code: problem.code, message, data });
  }
}
