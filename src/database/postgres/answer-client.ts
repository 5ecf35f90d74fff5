import { EventEmitter } from 'node:events';
import { Client, type ClientConfig } from 'pg';
import { AnswerRows } from './answer-rows.ts';

/** OID of `bpchar`: of the type that `Dialect.answer` gives a long JSON text, and that no column of ours has. */
const answerType = 1042;

interface RowDescription {
  readonly fields: readonly { readonly dataTypeID: number }[];
}

/** What the driver does with a socket once it may be read: it parses what comes, and emits each message by its name. */
interface DriverConnection extends EventEmitter {
  attachListeners(stream: EventEmitter): void;
}

/** A connection that answers long JSON texts as the bytes that they are, in UTF-8. */
export class AnswerClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const connection = this.connection as unknown as DriverConnection;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => attach(withoutAnswers(stream, connection));
  }
}

/** The stream as the driver reads it; the rows that are taken out of it are emitted in their place. */
const withoutAnswers = (stream: EventEmitter, connection: DriverConnection): EventEmitter => {
  const others = new EventEmitter();
  const rows = new AnswerRows({
    others: (bytes) => others.emit('data', bytes),
    row: (fields) => connection.emit('dataRow', { name: 'dataRow', fields }),
  });
  connection.on('rowDescription', ({ fields }: RowDescription) => {
    rows.isAnswer = fields[0]?.dataTypeID === answerType;
  });
  stream.on('data', (chunk: Buffer) => rows.take(chunk));
  stream.on('end', () => others.emit('end'));
  return others;
};
