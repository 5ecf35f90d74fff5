/** The parts of a server-sent event that these pages need. */
export interface StreamEvent {
  /** Id for `Last-Event-ID`; empty if the stream has not sent any. */
  readonly id: string;
  readonly data: string;
}

/** A complete line with its end: a `\r` at the end of the text may still get its `\n`. */
const line = /^([^\r\n]*)(?:\r\n|\n|\r(?!$))/;

/** Parses the text of a stream as it arrives (WHATWG HTML, 9.2.6). */
export class EventParser {
  #rest = '';
  #id: string;
  #data: string[] = [];

  constructor(id: string) {
    this.#id = id;
  }

  /** The id from which a new connection continues, also one that came without an event. */
  get id(): string {
    return this.#id;
  }

  push(text: string): StreamEvent[] {
    this.#rest += text;
    const events: StreamEvent[] = [];
    for (let found = line.exec(this.#rest); found !== null; found = line.exec(this.#rest)) {
      const [whole, content = ''] = found;
      this.#rest = this.#rest.slice(whole.length);
      const event = this.#take(content);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #take(content: string): StreamEvent | undefined {
    if (content === '') {
      const data = this.#data;
      this.#data = [];
      return data.length === 0 ? undefined : { id: this.#id, data: data.join('\n') };
    }
    const colon = content.indexOf(':');
    const [name, value] =
      colon < 0 ? [content, ''] : [content.slice(0, colon), content.slice(colon + 1).replace(/^ /, '')];
    if (name === 'data') this.#data.push(value);
    if (name === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }
}
