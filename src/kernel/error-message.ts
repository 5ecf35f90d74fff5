/** Says that a path is that of a directory, where a file is needed. */
export const directoryMessage = (path: string): string =>
  `${path} is a directory: the path of a file is needed`;

/** The path of a directory that was taken for a file; undefined for any other error. Of a rename, the new name. */
const directoryOf = (error: Error): string | undefined => {
  const { code, dest, path } = error as Error & Partial<Record<'code' | 'dest' | 'path', string>>;
  return code === 'EISDIR' ? (dest ?? path) : undefined;
};

/** The message of whatever was thrown. The system's own for a directory in place of a file is in no plain words. */
export const errorMessage = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const directory = directoryOf(thrown);
  return directory === undefined ? thrown.message : directoryMessage(directory);
};
