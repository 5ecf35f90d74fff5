/** The message for the path of a directory where a file is needed. */
export const directoryMessage = (path: string): string =>
  `${path} is a directory: the path of a file is needed`;

/** The path of a directory that was taken for a file, for a rename its new name; undefined for any other error. */
const directoryOf = (error: Error): string | undefined => {
  const { code, dest, path } = error as Error & Partial<Record<'code' | 'dest' | 'path', string>>;
  return code === 'EISDIR' ? (dest ?? path) : undefined;
};

/**
 * The message of a thrown value. For a directory in place of a file it is ours, as the system's is not in plain words.
 */
export const errorMessage = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const directory = directoryOf(thrown);
  return directory === undefined ? thrown.message : directoryMessage(directory);
};
