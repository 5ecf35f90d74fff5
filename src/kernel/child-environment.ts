/**
 * Variables that a foreign program needs in order to run at all. The others of this process are not its business: they
 * hold `JWT_SECRET` and `DATABASE_URL`.
 */
const needed = /^(?:PATH|HOME|USER|TMPDIR|LD_LIBRARY_PATH|SystemRoot)$/;

/**
 * The environment of a program that is not part of the service.
 * @param more further names of variables that this program takes from its caller
 */
export const childEnvironment = (more?: RegExp): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && (needed.test(name) || more?.test(name) === true)) kept[name] = value;
  return kept;
};
