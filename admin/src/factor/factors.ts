/** The second factors of the signed-in user: data and requests. */

import { useQuery } from '@tanstack/react-query';
import { send } from '../service.ts';

interface Times {
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface Passkey extends Times {
  readonly id: number;
  readonly name: string;
}

/** The factors beside the password. */
export interface Factors {
  readonly totp: Times | null;
  readonly passkeys: readonly Passkey[];
  readonly recovery_codes_left: number;
  /** True if every administrator must have one. */
  readonly required: boolean;
  readonly passkeys_possible: boolean;
  /** The reason why browsers refuse passkeys at the address of the service. */
  readonly passkeys_problem: 'not_https' | 'ip_address' | null;
}

/** An authenticator app during its set-up; shown once. */
export interface NewTotp {
  readonly secret: string;
  /** Content of the QR code. */
  readonly url: string;
}

/** The recovery codes that come with the first factor; shown once. */
export interface WithCodes {
  readonly recovery_codes: readonly string[] | null;
}

const path = '/admin/second-factor';

export const useFactors = () =>
  useQuery({
    queryKey: ['second factor'],
    queryFn: async () => (await send<Factors>('GET', path)).data,
  });

export const countOf = ({ totp, passkeys }: Factors): number => passkeys.length + (totp === null ? 0 : 1);

const post = async <Data>(below: string, body: object): Promise<Data> =>
  (await send<Data>('POST', `${path}/${below}`, { body })).data;

const remove = async (below: string, password: string): Promise<void> => {
  // Not repeated after a timeout: the second response would be that the factor does not exist.
  await send('DELETE', `${path}/${below}`, { body: { password }, repeatable: false });
};

/** All require the caller's password; a wrong one is an error of the field `password`. */
export const beginTotp = (password: string): Promise<NewTotp> => post('totp', { password });
export const confirmTotp = (code: string): Promise<WithCodes> => post('totp/confirmation', { code });
export const removeTotp = (password: string): Promise<void> => remove('totp', password);
export const beginPasskey = (password: string): Promise<unknown> => post('passkeys/options', { password });
export const addPasskey = (name: string, response: unknown): Promise<WithCodes> =>
  post('passkeys', { name, response });
export const removePasskey = (id: number, password: string): Promise<void> =>
  remove(`passkeys/${id}`, password);
export const renewCodes = (password: string): Promise<WithCodes> => post('recovery-codes', { password });
