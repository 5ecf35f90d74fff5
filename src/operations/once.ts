import type { Idempotency, IdempotentRequest, KeptAnswer } from '../service/idempotency/idempotency.ts';
import type { SharedTransaction } from './transaction.ts';

/** An answer as it is kept, but for its status. */
export type Once = Omit<KeptAnswer, 'status'>;

/**
 * Answers what the same request was answered first, or does the work. What the work is refused with is told only where
 * no such answer has come about meanwhile. @throws Problem `idempotency_conflict`
 */
export const answeredOnce = async (
  idempotency: Idempotency,
  request: IdempotentRequest,
  work: () => Promise<Once>,
): Promise<Once> => {
  const kept = await idempotency.find(request);
  if (kept !== undefined) return kept;
  try {
    return await work();
  } catch (refused) {
    // The same request may have been written a moment ago, and its own records be what these collide with.
    // Where that cannot be looked up, what happened first is what is said: the write may stand all the same.
    const first = await idempotency.find(request).catch(() => undefined);
    if (first !== undefined) return first;
    throw refused;
  }
};

/** Does the work in the transaction that takes the `Idempotency-Key`: it and its kept answer stand or fall together. */
export const keptOnce = async (
  idempotency: Idempotency,
  { transaction }: SharedTransaction,
  request: IdempotentRequest,
  status: number,
  work: () => Promise<Once>,
): Promise<Once> => {
  const kept = await idempotency.claim(transaction, request);
  if (kept !== undefined) return kept;
  const answer = await work();
  await idempotency.keep(transaction, request, { status, ...answer });
  return answer;
};
