import type { FastifyReply } from 'fastify';
import type { HttpResponse } from './pipeline.ts';
import { Probe } from './routes.ts';
import { sendPieces } from './send-pieces.ts';

/** The head of an answer: what the caller's own headers and those of CORS come to, as Node takes it fastest. */
const headOf = (reply: FastifyReply, response: HttpResponse): string[] => {
  const head = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
  // CORS, where it is on, has left its headers with the reply.
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...response.headers })) {
    const index = head.indexOf(name.toLowerCase());
    if (index >= 0) head[index + 1] = String(value);
    else for (const each of Array.isArray(value) ? value : [value]) head.push(name, String(each));
  }
  if (response.status >= 500) head.push('x-request-id', reply.request.id);
  if (response.status === 413) head.push('connection', 'close');
  if (response.status !== 304) head.push('content-type', response.type);
  return head;
};

/** An error of the application's can be anything, also one that cannot be printed; the answer goes out all the same. */
const logFailure = (reply: FastifyReply, failure: unknown): void => {
  const requestId = reply.request.id;
  try {
    reply.log.error({ err: failure, requestId }, 'request failed');
  } catch (error) {
    reply.log.error({ err: error, requestId }, 'request failed with an error that cannot be printed');
  }
};

/**
 * Writes an answer. Every answer of the service, errors included, passes here: past Fastify's own serialisation, which
 * would do nothing for text that is ready to go.
 */
export const send = (reply: FastifyReply, response: HttpResponse): void => {
  reply.hijack();
  if (reply.request.raw instanceof Probe) {
    reply.request.raw.refused(response);
    return;
  }
  const { raw } = reply;
  if (response.failure !== undefined) logFailure(reply, response.failure);
  const { status, body } = response;
  const head = headOf(reply, response);
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    sendPieces(reply, status, head, body);
    return;
  }
  if (status !== 304) head.push('content-length', String(Buffer.byteLength(body)));
  raw.writeHead(status, head);
  raw.end(body);
};
