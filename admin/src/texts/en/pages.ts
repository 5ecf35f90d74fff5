/** The English texts of all other pages: they load with the first of these pages. */

import { actionsInEnglish, callersInEnglish, reasonsInEnglish } from '../../../../src/kernel/messages.ts';
import { about } from './about.ts';
import { activity } from './activity.ts';
import { applications } from './applications.ts';
import { audit } from './audit.ts';
import { conflict } from './conflict.ts';
import { explain } from './explain.ts';
import { explainSignIn } from './explain-sign-in.ts';
import { history } from './history.ts';
import { identities } from './identities.ts';
import { imports } from './imports.ts';
import { invitations } from './invitations.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { memberships } from './memberships.ts';
import { payments } from './payments.ts';
import { permissions } from './permissions.ts';
import { refusals } from './refusals.ts';
import { roles } from './roles.ts';
import { routes } from './routes.ts';
import { schedules } from './schedules.ts';
import { sessions } from './sessions.ts';
import { signIns } from './sign-ins.ts';
import { start } from './start.ts';
import { users } from './users.ts';
import { viewAs } from './view-as.ts';
import { webhooks } from './webhooks.ts';

export const app = {
  about,
  activity,
  applications,
  audit,
  conflict,
  explain,
  explainSignIn,
  history,
  identities,
  imports,
  invitations,
  jobs,
  keys,
  memberships,
  payments,
  permissions,
  refusals,
  roles,
  routes,
  schedules,
  sessions,
  signIns,
  start,
  users,
  viewAs,
  webhooks,
};

export const reasonWords = {
  actions: actionsInEnglish,
  callers: callersInEnglish,
  reasons: reasonsInEnglish,
};
