import type { Logger } from 'pino';
import { maskedStatement } from '../database/masked-statement.ts';
import type { StatementWatch } from '../database/measured.ts';
import type { Work } from '../kernel/current-work.ts';

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

/**
 * Logs statements that take longer than `slow` milliseconds (Infinity: none), and every statement at level debug: its
 * text without values, and the request or job that runs it.
 */
export const watchStatements = (logger: Logger, slow: number): Pick<StatementWatch, 'ended'> => {
  let all = logger.isLevelEnabled('debug');
  logger.on('level-change', () => {
    all = logger.isLevelEnabled('debug');
  });
  const tell = (sql: string, milliseconds: number, work: Work | undefined): void => {
    const line = {
      requestId: work?.requestId ?? null,
      route: work?.route ?? null,
      milliseconds: rounded(milliseconds),
      statement: maskedStatement(sql),
      ...(work?.traceparent === undefined ? {} : { traceparent: work.traceparent }),
    };
    if (milliseconds > slow) logger.warn(line, 'slow statement');
    else logger.debug(line, 'statement');
  };
  return {
    ended: (sql, milliseconds, work) => {
      if (milliseconds > slow || all) tell(sql, milliseconds, work);
    },
  };
};
