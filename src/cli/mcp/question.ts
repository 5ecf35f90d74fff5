import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../kernel/error-message.ts';
import type { QuestionOutcome, ThreadQuestion } from './developer-tools.ts';
import { answerQuestion } from './questions.ts';

/** The thread of one question of `gatewright dev --mcp`. */
const send = (outcome: QuestionOutcome): void => parentPort?.postMessage(outcome);

try {
  send({ value: await answerQuestion(workerData as ThreadQuestion, process.env) });
} catch (error) {
  send({ flaw: errorMessage(error) });
}
