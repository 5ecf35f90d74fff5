import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, rename } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';

const folder = (): string => resolve(process.env['IMAGES_DIR'] ?? 'data/images');

const types = { '.png': 'image/png', '.jpg': 'image/jpeg', '.webp': 'image/webp' } as const;
type Ending = keyof typeof types;

/** The type by the first bytes: a caller's claim about a file is not to be trusted. */
const endingOf = (head: Buffer): Ending | undefined => {
  if (head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return '.png';
  if (head.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return '.jpg';
  const riff = head.subarray(0, 4).toString('latin1') === 'RIFF';
  return riff && head.subarray(8, 12).toString('latin1') === 'WEBP' ? '.webp' : undefined;
};

/** Stores an uploaded file under a name derived from its content; undefined where it is no image. */
export const keepImage = async (path: string): Promise<string | undefined> => {
  const file = await open(path);
  const head = Buffer.alloc(12);
  try {
    await file.read(head, 0, head.length, 0);
  } finally {
    await file.close();
  }
  const ending = endingOf(head);
  if (ending === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const name = `${hash.digest('hex')}${ending}`;
  await mkdir(folder(), { recursive: true });
  // Written atomically; the same content twice is one file.
  const draft = join(folder(), `.${name}.${process.pid}`);
  await copyFile(path, draft);
  await rename(draft, join(folder(), name));
  return name;
};

/** A stored file by its name; undefined for a name outside the folder, or that `keepImage` does not create. */
export const imageOf = (name: string) => {
  const path = resolve(folder(), name);
  const type = types[extname(path) as Ending] as string | undefined;
  if (dirname(path) !== folder() || type === undefined) return undefined;
  return { type, body: createReadStream(path) };
};
