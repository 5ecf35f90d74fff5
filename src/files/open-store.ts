import type { FileBucket } from './s3-store.ts';
import type { FileStore } from './store.ts';

/** Opens the store of a bucket, else that of a folder. The code of the other one is not loaded. */
export const openFileStore = async (bucket: FileBucket | undefined, folder: string): Promise<FileStore> => {
  if (bucket === undefined) {
    const { DiskStore } = await import('./disk-store.ts');
    return new DiskStore(folder);
  }
  const { S3Store } = await import('./s3-store.ts');
  return new S3Store(bucket);
};
