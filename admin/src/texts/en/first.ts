/** The English texts of the frame, of lists of records and of the sign-in: they load before the first paint. */

import { explainedInEnglish, problemsInEnglish } from '../../../../src/kernel/messages.ts';
import { account } from './account.ts';
import { bulk } from './bulk.ts';
import { common } from './common.ts';
import { deletion } from './deletion.ts';
import { factor } from './factor.ts';
import { filter } from './filter.ts';
import { form } from './form.ts';
import { leave } from './leave.ts';
import { list } from './list.ts';
import { live } from './live.ts';
import { menu } from './menu.ts';
import { palette } from './palette.ts';
import { picker } from './picker.ts';
import { problem } from './problem.ts';
import { records } from './records.ts';
import { sessionEnd } from './session-end.ts';
import { shortcuts } from './shortcuts.ts';
import { signIn } from './sign-in.ts';
import { titles } from './titles.ts';
import { trash } from './trash.ts';
import { ungranted } from './ungranted.ts';
import { views } from './views.ts';

export const app = {
  common,
  problem,
  titles,
  menu,
  palette,
  shortcuts,
  signIn,
  account,
  list,
  bulk,
  views,
  filter,
  records,
  picker,
  deletion,
  trash,
  live,
  form,
  leave,
  sessionEnd,
  ungranted,
  factor,
};

export const others = {
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
