import type { SqlValue, Transaction } from '../../database/database.ts';
import {
  type Compiler,
  type Fragment,
  join,
  type Statement,
  sql,
  statement,
} from '../../database/statement.ts';

/** A statement that takes the values of many rows, one behind the other. */
type RowArguments = { readonly values: readonly SqlValue[] };

/** How many values one statement binds at most: SQLite takes 32,766. */
const mostValues = 16_000;

/** So many rows go into one statement; the rest of them into few smaller ones, so that only few texts are prepared. */
const sizes = [256, 32, 4, 1];

/** Makes rows that are written together into few statements: `into` tells one that takes the rows it is given. */
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

  /** Starts all statements, which run one after the other. */
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
