import { loginFailed } from '../../auth/login.ts';
import type { Identity, VerifiedUser } from '../../auth/ports.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import type { Call } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../input.ts';
import type { Services } from '../services.ts';

/** A user who has signed in. `verified` goes into the write that rests on the password. */
export interface SignedIn {
  readonly verified: VerifiedUser;
  readonly user: Identity;
}

/** An account and a password for the person behind them: what the login and the administration area's sign-in share. */
export interface SignIn {
  readonly schema: JsonSchema;
  /** @throws Problem `invalid_record`, `login_failed`, `too_many_requests`, `overloaded` */
  readonly run: (call: Pick<Call, 'body' | 'address' | 'signal'>) => Promise<SignedIn>;
}

export const createSignIn = (services: Services): SignIn => {
  // The lengths are bounded by the body's; every byte of a password counts.
  const input = createInput(
    { account: field.text({ required: true }), password: field.text({ required: true }) },
    services.locale,
  );
  const { identities } = services;
  return {
    schema: input.schema,
    run: async ({ body, address, signal }) => {
      const { values, errors } = input.read(body);
      refuseInvalid(errors);
      const account = String(values['account']);
      const password = String(values['password']);
      const verified = await services.login({ account, password, address, signal });
      const user = await identities.byUserId(verified.id, []);
      // Disabled or deleted between the two: the same answer as a moment later.
      if (user === undefined) throw loginFailed();
      return { verified, user };
    },
  };
};
