import { type CompiledQuery, type QueryId, type RootOperationNode, SqliteQueryCompiler } from 'kysely';
import { Numbering } from '../numbering.ts';

/** Numbers its parameters (`?1`), so that one may stand in several places. */
export class NumberingSqliteCompiler extends SqliteQueryCompiler {
  readonly #numbering = new Numbering();

  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    this.#numbering.clear();
    return super.compileQuery(node, queryId);
  }

  protected override appendValue(parameter: unknown): void {
    const add = (): number => {
      this.addParameter(parameter);
      return this.numParameters;
    };
    this.append(`?${this.#numbering.of(parameter, add)}`);
  }
}
