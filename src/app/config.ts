/** Reads the environment into one frozen `Config`, or reports all its mistakes at once. */

import { Environment, type ShownSetting, type Variable } from './environment.ts';
import { type VariableValues, variableRows, variables } from './variables.ts';

/** The configuration: the values of all variables of the environment, and the way they are shown. */

/** The settings of the environment; read once, frozen, the same for the whole process. */
export interface Config
  extends Omit<VariableValues, 'language' | 'adminUsername' | 'adminEmail' | 'adminPassword'>,
    Readonly<VariableValues['language']> {
  /** `Path` part of the base URL without a trailing slash; empty where there is none. */
  readonly basePath: string;
  readonly admin: {
    readonly username: string;
    readonly email: string;
    readonly password: string | undefined;
  };
}

/** All mistakes of the environment, one line each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/** The values of rows by member, each made of its row. */
const valuesFrom = (make: (row: Variable) => unknown): VariableValues =>
  Object.fromEntries(Object.entries(variableRows).map(([member, row]) => [member, make(row)])) as never;

/**
 * Reads the whole configuration.
 * @throws ConfigError with all mistakes
 */
export const readConfig = (texts: Readonly<Record<string, string | undefined>>): Config => {
  const environment = new Environment(texts);
  const values = valuesFrom((row) => environment.value(row));
  const mistakes = environment.mistakes(variables.map(({ name }) => name));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const { language, adminUsername, adminEmail, adminPassword, ...rest } = values;
  return Object.freeze({
    ...rest,
    ...language,
    basePath: new URL(rest.baseUrl).pathname.replace(/\/+$/, ''),
    admin: Object.freeze({ username: adminUsername, email: adminEmail, password: adminPassword }),
  });
};

/** A variable with its value; for a secret the value says only that it is set, or not. */
export interface Setting {
  readonly name: string;
  readonly secret: boolean;
  readonly value: ShownSetting;
}

/** The settings in force, without secrets. */
export const settingsOf = (config: Config): readonly Setting[] => {
  const { admin } = config;
  const values: VariableValues = {
    ...config,
    language: config,
    adminUsername: admin.username,
    adminEmail: admin.email,
    adminPassword: admin.password,
  };
  const settingOf = <Member extends keyof VariableValues>(member: Member): Setting => {
    const row = variableRows[member] as Variable<VariableValues[Member]>;
    return { name: row.name, secret: row.secret, value: row.shown(values[member]) };
  };
  return (Object.keys(variableRows) as (keyof VariableValues)[]).map(settingOf);
};

/** The same configuration with the port that PORT=0 picked. */
export const withPort = (config: Config, port: number): Config => {
  if (config.port === port) return config;
  const asked = new URL(config.baseUrl);
  if (asked.port !== '0') return Object.freeze({ ...config, port });
  asked.port = String(port);
  return Object.freeze({ ...config, port, baseUrl: asked.href.replace(/\/+$/, '') });
};
