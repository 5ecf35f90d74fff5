import type { JsonObject } from '../../src/kernel/json.ts';
import { commonPassword, type TestUser } from '../support/service.ts';
import { mailedToken, type Place } from './sample-data.ts';

/**
 * Placeholders of samples that are not valid by nature: the reader types them. The test puts the real value in the place
 * of exactly these fields of the body.
 */

interface Placeholder {
  readonly reason: string;
  readonly value: (place: Place, caller: TestUser) => JsonObject | Promise<JsonObject>;
}

const newPassword = 'walnut-harbour-61 lamp';

const signIn: Placeholder = {
  reason: 'the account and its password are those of the reader',
  value: (_place, { username }) => ({ account: username, password: commonPassword }),
};

const passwordChange: Placeholder = {
  reason: 'a page neither knows the present password nor chooses the new one',
  value: () => ({ current_password: commonPassword, password: newPassword }),
};

const ownPassword: Placeholder = {
  reason: 'a page does not know the password of the caller',
  value: () => ({ password: commonPassword }),
};

export const placeholders: Readonly<Record<string, Placeholder>> = {
  login: signIn,
  changePassword: passwordChange,
  confirmPasswordReset: {
    reason: 'the token stands in the link of a message, and the reader chooses the password',
    value: async (place, { email }) => ({
      token: await mailedToken(place, '/api/v1/auth/password_reset', { account: email }),
      password: newPassword,
    }),
  },
  requestEmailChange: ownPassword,
  confirmEmailChange: {
    reason: 'the token stands in the link of a message',
    value: async (place, caller) => {
      const body = { email: `new_${caller.email}`, password: commonPassword };
      return { token: await mailedToken(place, '/api/v1/auth/email', body, caller) };
    },
  },
  confirmRegistration: {
    reason: 'the token stands in the link of a message; the request for it had the name and the password',
    value: async (place) => ({
      token: await mailedToken(place, '/api/v1/auth/register', {
        email: 'eve@example.com',
        username: 'eve',
        password: newPassword,
      }),
    }),
  },
};

/** Samples that no text can complete, with the reason. */
export const notSent: Readonly<Record<string, string>> = {
  post_products_id_image: 'the file is a picture that the reader chooses; a form of the page holds text',
};
