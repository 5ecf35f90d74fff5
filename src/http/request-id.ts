/** What ids are made of in the field: letters, digits, and what UUIDs, ULIDs, W3C traces and base64 have between them. */
const idForm = /^[\w.:=+/@-]{1,128}$/;

/** Whether a text that a proxy sends as `X-Request-Id` can be an id: it goes into a header and into the log as it is. */
export const isRequestId = (text: string): boolean => idForm.test(text);

/** W3C Trace Context, level 2: version, trace, parent and flags; a later version may say more behind them. */
const traceForm =
  /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]{0,128})?$/;

export const isTraceparent = (text: string): boolean =>
  traceForm.test(text) && (text.length === 55 || !text.startsWith('00'));

/** Makes ids that differ between processes and are cheap to make. */
export const requestIds = (): (() => string) => {
  const process = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
};
