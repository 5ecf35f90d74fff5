/**
 * Told of an answer that is out: the method that was asked by, the status, and the milliseconds since the request
 * arrived. A stream of events, which lasts for as long as its caller likes, is out when it has begun.
 */
export type AnswerObserver = (method: string, status: number, milliseconds: number) => void;

/** A request as far as its answer is measured. */
interface Measured {
  readonly method: string;
  /** By `performance.now()`. */
  readonly arrived: number;
  readonly observe: AnswerObserver | undefined;
}

const tell = (request: Measured, status: number): void =>
  request.observe?.(request.method, status, performance.now() - request.arrived);

/** Has an answer measured once it is out; `rest` is what `Responder.send` answered. */
export const observeAnswer = (
  request: Measured,
  { status, type }: { readonly status: number; readonly type: string },
  rest: Promise<void> | undefined,
): void => {
  if (rest === undefined || type === 'text/event-stream') tell(request, status);
  else void rest.then(() => tell(request, status));
};
