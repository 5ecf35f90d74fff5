import { answer, type BodyLimits, defineEndpoint, field, type UploadedFile } from 'gatewright';

const limits: BodyLimits = { file: 1_000_000, files: 2 };

const sizeOf = ({ size }: UploadedFile): number => size;

export default defineEndpoint({
  method: 'POST',
  path: '/upload',
  accepts: 'multipart',
  limits,
  input: { title: field.string({ required: true }) },
  handle: ({ files, values }) => ({ title: values.title, sizes: files.map(sizeOf) }),
});

export const stream = defineEndpoint({
  method: 'POST',
  path: '/stream',
  accepts: 'bytes',
  media: 'application/octet-stream',
  handle: ({ stream: body }) => answer({ type: 'application/octet-stream', body }),
});

export const wrong = () => [
  // @ts-expect-error: a JSON body brings no files
  defineEndpoint({ method: 'POST', path: '/a', handle: ({ files }) => files.length }),
  // @ts-expect-error: no such option
  answer({ statuss: 200 }),
];
