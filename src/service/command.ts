import { ConstraintError, type ConstraintKind, type Transaction } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { type Actor, type AuditEntry, recordAudit } from './audit/audit.ts';
import type { TableContext } from './context.ts';

/** Result of a change: its lines of the audit list, none where nothing was changed, and what the caller gets. */
interface Changed<Answer> {
  readonly audit: AuditEntry | readonly AuditEntry[];
  readonly answer: Answer;
}

/** Problems that constraints of the tables stand for. */
type ConstraintProblems = { readonly [Kind in ConstraintKind]?: ProblemName };

export type RunCommand = <Answer>(
  actor: Actor,
  run: (transaction: Transaction, now: number) => Promise<Changed<Answer>>,
  problems?: ConstraintProblems,
) => Promise<Answer>;

/**
 * Makes the function by which stores change the service's own records: one transaction holds the change and its lines of
 * the audit list, so neither stands without the other.
 */
export const createCommands =
  ({ database, clock }: TableContext): RunCommand =>
  async (actor, run, problems = {}) => {
    try {
      return await database.write(async (transaction) => {
        const now = clock();
        const { audit, answer } = await run(transaction, now);
        for (const entry of [audit].flat())
          await recordAudit(transaction, database.dialect, now, actor, entry);
        return answer;
      });
    } catch (error) {
      const problem = error instanceof ConstraintError ? problems[error.kind] : undefined;
      throw problem === undefined ? error : new Problem(problem, { cause: error });
    }
  };
