import { explainedInEnglish, problemsInEnglish } from '../../../src/kernel/messages/en.ts';
import { en } from './en.ts';
import type { Texts } from './texts.ts';

/** Every text in English: of these pages, of ra-core where it shows one itself, of the service where they show it. */
export const texts: Texts = {
  app: en,
  ra: {
    auth: { auth_check_error: 'Please sign in to continue' },
    message: { select_all_limit_reached: 'Too many: only the first %{max} are selected.' },
    notification: {
      http_error: 'The service could not be reached',
      i18n_error: 'The texts of this language could not be loaded',
      item_doesnt_exist: 'The record does not exist',
      logged_out: 'Your session has ended: sign in again.',
      not_authorized: 'You may not access this.',
    },
  },
  service: { explained: explainedInEnglish, problems: problemsInEnglish },
};
