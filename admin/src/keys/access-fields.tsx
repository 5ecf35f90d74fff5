/** The restrictions of an API key in a form: inputs, validation and conversion. */

import type { Refusal } from '../parts/refusal.ts';
import type { Text } from '../texts/provider.ts';
import { AccessSummary, type KeyAccess } from './access-words.tsx';
import { LimitFields, type LimitInput, limitsToForm, limitsToRequest } from './limit-fields.tsx';
import { isNetwork, networksIn } from './network.ts';
import { NetworkLines } from './network-lines.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { expandScopes, shortenScopes } from './scopes.ts';

/** The restrictions of a key in a form. */
export interface AccessInput {
  /** One entry per action; null for everything that the owner can do. */
  readonly scopes: readonly string[] | null;
  /** Lines of the form; some may be empty. */
  readonly networks: readonly string[];
  readonly limits: LimitInput;
}

export const toForm = ({ scopes, networks, ...limits }: KeyAccess): AccessInput => ({
  scopes: scopes === null ? null : expandScopes(scopes),
  networks: networks ?? [],
  limits: limitsToForm(limits),
});

/** The restrictions in a request. */
export const toRequest = ({ scopes, networks, limits }: AccessInput): KeyAccess => {
  const lines = networksIn(networks);
  return {
    scopes: scopes === null ? null : shortenScopes(scopes),
    networks: lines.length === 0 ? null : lines,
    ...limitsToRequest(limits),
  };
};

/** Errors that can be found without a request. */
export const validateAccess = (text: Text, { scopes, networks }: AccessInput): Refusal['fields'] => {
  const wrong = networksIn(networks).find((line) => !isNetwork(line));
  return {
    ...(scopes?.length === 0 ? { scopes: text('keys.access.nothingChosen') } : {}),
    ...(wrong === undefined ? {} : { networks: text('keys.access.notNetwork', { value: wrong }) }),
  };
};

interface AccessFieldsProps {
  readonly input: AccessInput;
  readonly onChange: (part: Partial<AccessInput>) => void;
  readonly errors: Refusal['fields'];
  /** End of the key, if the form has it too. */
  readonly end?: string | null | undefined;
}

/** Inputs for the scopes, networks and limits of a key, with a summary in words. */
export const AccessFields = ({ input, onChange, errors, end }: AccessFieldsProps) => (
  <>
    <ScopePicker value={input.scopes} onChange={(scopes) => onChange({ scopes })} error={errors['scopes']} />
    <NetworkLines
      value={input.networks}
      onChange={(networks) => onChange({ networks })}
      error={errors['networks']}
    />
    <LimitFields value={input.limits} onChange={(limits) => onChange({ limits })} errors={errors} />
    <AccessSummary access={toRequest(input)} end={end} />
  </>
);
