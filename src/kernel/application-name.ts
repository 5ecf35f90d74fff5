/** How an application introduces itself to people: its name, its version, and the environment in which it runs. */

import { badgeColourFlaw, inkOn } from './colour.ts';
import type { OptionCheck } from './options.ts';

/** The environment as a badge. Colours have the form `#rrggbb`. */
export interface EnvironmentBadge {
  readonly label: string;
  readonly colour: string;
  /** Colour of the text, with a contrast of 4.5 or more to `colour`. */
  readonly ink: string;
}

export interface ApplicationName {
  /** Undefined where neither the configuration nor a package.json names the application. */
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly environment: EnvironmentBadge | undefined;
}

/** The environment in which people work with the real data: mails and titles need not mention it. */
const production = 'production';

/** Colours of badges that the configuration gives none. */
const standardColours = { [production]: '#2a7d86', other: '#b45309' } as const;

/** Name of an application that has none. */
const nameOfSoftware = 'Gatewright';

/** One line of text with a maximum number of characters: it stands in titles, mails and headers. */
const lineOf =
  (most: number): OptionCheck =>
  (value, path) =>
    typeof value === 'string' &&
    value.trim() === value &&
    value !== '' &&
    [...value].length <= most &&
    !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
      ? undefined
      : `${path} must be one line of text with 1 to ${most} characters, without spaces around it`;

/** Checks of the options that name an application. */
export const nameOptions = {
  name: lineOf(60),
  environment: lineOf(24),
  colour: badgeColourFlaw,
} satisfies Readonly<Record<string, OptionCheck>>;

/** The badge of an environment. @param colour default: one for `production`, another for everything else */
export const badgeOf = (label: string, colour?: string): EnvironmentBadge => {
  const ground =
    colour ?? (label.toLowerCase() === production ? standardColours[production] : standardColours.other);
  return { label, colour: ground, ink: inkOn(ground) };
};

/** The name that people read: the software's where the application has none. */
export const shownName = ({ name }: ApplicationName): string => name ?? nameOfSoftware;

/** A name with its environment, `Shop (staging)`; without it in production. */
const withEnvironment = (name: string, { environment }: ApplicationName): string =>
  environment === undefined || environment.label.toLowerCase() === production
    ? name
    : `${name} (${environment.label})`;

/** The name for titles of windows and for authenticator applications: `Shop`, or `Shop (staging)`. */
export const fullName = (application: ApplicationName): string =>
  withEnvironment(shownName(application), application);

/** The name for messages that leave the service: an application without a name is known by its host. */
export const nameInMail = (application: ApplicationName, baseUrl: string): string =>
  withEnvironment(application.name ?? new URL(baseUrl).host, application);
