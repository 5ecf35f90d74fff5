import type { SqlValue, Transaction } from '../../database/database.ts';
import {
  type Compiler,
  type Fragment,
  join,
  type Statement,
  sql,
  statement,
} from '../../database/statement.ts';

/** The values of many rows, one row after the other. */
type RowArguments = { readonly values: readonly SqlValue[] };

/** Most values of one statement: SQLite accepts 32,766. */
const mostValues = 16_000;

/** Numbers of rows of one statement: few sizes, so that few texts are prepared. */
const sizes = [256, 32, 4, 1];

/** Inserts many rows by few statements. `into` makes the statement for a VALUES list. */
export class RowStatements {
  readonly #compiler: Compiler;
  readonly #columns: number;
  readonly #into: (rows: Fragment) => Fragment;
  readonly #made: (Statement<RowArguments> | undefined)[] = [];

  constructor(compiler: Compiler, columns: number, into: (rows: Fragment) => Fragment) {
    this.#compiler = compiler;
    this.#columns = columns;
    this.#into = into;
  }

  /** Sends all statements without waiting for each, and returns their rows. */
  async write<Row>(transaction: Transaction, rows: readonly (readonly SqlValue[])[]): Promise<Row[]> {
    const answers: Promise<Row[]>[] = [];
    let start = 0;
    for (const [place, size] of sizes.entries()) {
      if (size > 1 && size * this.#columns > mostValues) continue;
      for (; rows.length - start >= size; start += size)
        answers.push(
          transaction.all<Row>(this.#of(place, size)({ values: rows.slice(start, start + size).flat() })),
        );
    }
    return (await Promise.all(answers)).flat();
  }

  #of(place: number, size: number): Statement<RowArguments> {
    const made = this.#made[place] ?? this.#compile(size);
    this.#made[place] = made;
    return made;
  }

  #compile(size: number): Statement<RowArguments> {
    return statement<RowArguments>(this.#compiler, (param) => {
      const row = (index: number): Fragment =>
        join(
          Array.from({ length: this.#columns }, (_, column) =>
            param('values', index * this.#columns + column),
          ),
        );
      return this.#into(join(Array.from({ length: size }, (_, index) => sql`(${row(index)})`)));
    });
  }
}
