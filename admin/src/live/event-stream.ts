/** An event of a stream of server-sent events, as far as these pages need it. */
export interface StreamEvent {
  /** The id that is sent back as `Last-Event-ID`; empty where the stream has not named any. */
  readonly id: string;
  readonly data: string;
}

/** A line with its end, where it has come as a whole: a `\r` at the end may have its `\n` still on the way. */
const line = /^([^\r\n]*)(?:\r\n|\n|\r(?!$))/;

/** Takes the stream's text apart as it comes (WHATWG HTML, 9.2.6). */
export class EventParser {
  #rest = '';
  #id: string;
  #data: string[] = [];

  constructor(id: string) {
    this.#id = id;
  }

  /** The id that a new connection goes on from: also one that came without an event. */
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
