/** Most bytes of a response of an identity provider. */
const maxResponseBytes = 1_048_576;

/** `fetch` whose responses fail beyond a size: the libraries of OpenID Connect read them whole. */
export const boundedFetch = async (url: string, options: object): Promise<Response> => {
  const { body, status, statusText, headers } = await fetch(url, options);
  let left = maxResponseBytes;
  const bounded = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        left -= chunk.length;
        if (left < 0) throw new Error(`a response has more than ${maxResponseBytes} bytes`);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded ?? null, { status, statusText, headers });
};
