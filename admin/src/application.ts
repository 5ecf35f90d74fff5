/** The application as the page's own attributes name it: known before any request, and without a session. */

const { application = '', title = '', environment, colour, ink } = document.documentElement.dataset;

/** Its name. */
export const applicationName = application;

/** Its name with the environment: `Shop (staging)`. */
export const applicationTitle = title;

interface Environment {
  readonly label: string;
  readonly colour: string;
  /** Colour of text on `colour`. */
  readonly ink: string;
}

export const applicationEnvironment: Environment | undefined =
  environment === undefined || colour === undefined || ink === undefined
    ? undefined
    : { label: environment, colour, ink };

/** Title of the window for a page. */
export const windowTitle = (page: string): string => `${page} · ${applicationTitle}`;
