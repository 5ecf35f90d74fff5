/** The pages by their paths, each loaded when it is first opened, and the frame around them. */

import CssBaseline from '@mui/material/CssBaseline';
import { CoreAdminContext, CoreAdminUI, CustomRoutes, useResetStore } from 'ra-core';
import { type ComponentType, type FunctionComponent, lazy, Suspense, useEffect } from 'react';
import { createBrowserRouter, Navigate, Outlet, Route, RouterProvider, useLocation } from 'react-router';
import { useSessionHint } from './account/session-hint.ts';
import { SignInAgain } from './account/sign-in-again.tsx';
import { applicationTitle } from './application.ts';
import { pagesPath } from './base.ts';
import { Arriving } from './layout/arriving.tsx';
import { BrokenPage } from './layout/failure.tsx';
import { AppLayout, loadAgain } from './layout/layout.tsx';
import { Leaving } from './layout/leaving.tsx';
import { PageNotFound } from './layout/not-found.tsx';
import { Notification } from './layout/notification.tsx';
import { ThemeProvider } from './layout/theme-mode.tsx';
import { Waiting } from './layout/waiting.tsx';
import { queryClient } from './query-client.ts';
import { RecordList } from './records/record-list.tsx';
import { authProvider, dataProvider } from './service.ts';
import { store } from './store.ts';
import { i18nProvider, loadPageTexts } from './texts/provider.ts';

/** A page that is loaded when it is first shown. */
const script = <Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
): FunctionComponent => lazy<ComponentType>(async () => ({ default: (await load())[name] }));

/** The same with the page texts, which lists of records do not need. */
const page: typeof script = (load, name) =>
  script(async () => {
    const [found] = await Promise.all([load(), loadPageTexts()]);
    return found;
  }, name);

const SignInPage = script(() => import('./pages/sign-in.tsx'), 'SignIn');

const SignIn = () => (
  <Suspense fallback={<Waiting />}>
    <SignInPage />
  </Suspense>
);

const Start = page(() => import('./start/start.tsx'), 'Start');

/** The pages by their paths. */
const pages: Readonly<Record<string, FunctionComponent>> = {
  '/api_keys': page(() => import('./keys/keys.tsx'), 'Keys'),
  '/api_keys/create': page(() => import('./keys/new-key.tsx'), 'NewKey'),
  '/api_keys/:id': page(() => import('./keys/show-key.tsx'), 'ShowKey'),
  '/api_keys/:id/rotate': page(() => import('./keys/rotate-key.tsx'), 'RotateKey'),
  '/api_keys/:id/access': page(() => import('./keys/edit-access.tsx'), 'EditKeyAccess'),
  '/users': page(() => import('./users/users.tsx'), 'Users'),
  '/users/create': page(() => import('./users/user-form.tsx'), 'NewUser'),
  '/users/:id': page(() => import('./users/user-form.tsx'), 'EditUser'),
  '/users/:id/view': page(() => import('./users/view-as.tsx'), 'ViewAsUser'),
  '/users/:id/view/:path': page(() => import('./users/view-as.tsx'), 'ViewAsUser'),
  '/users/:id/view/:path/:record': page(() => import('./users/view-as.tsx'), 'ViewAsUser'),
  '/users/:id/show': page(() => import('./users/show-user.tsx'), 'ShowUser'),
  '/roles': page(() => import('./access/roles.tsx'), 'Roles'),
  '/roles/:id': page(() => import('./access/role-page.tsx'), 'RolePage'),
  '/permissions': page(() => import('./access/permissions.tsx'), 'Permissions'),
  '/explain': page(() => import('./access/explain.tsx'), 'Explain'),
  '/applications': page(() => import('./watch/applications.tsx'), 'Applications'),
  '/payments': page(() => import('./watch/payments.tsx'), 'Payments'),
  '/audit': page(() => import('./watch/audit.tsx'), 'Audit'),
  '/webhooks': page(() => import('./webhooks/webhooks.tsx'), 'Webhooks'),
  '/webhooks/create': page(() => import('./webhooks/webhook-form.tsx'), 'NewWebhook'),
  '/webhooks/:id': page(() => import('./webhooks/webhook-form.tsx'), 'EditWebhook'),
  '/webhooks/:id/show': page(() => import('./webhooks/show-webhook.tsx'), 'ShowWebhook'),
  '/audit/:id/show': page(() => import('./watch/show-audit.tsx'), 'ShowAuditEntry'),
  '/activity': page(() => import('./watch/activity.tsx'), 'Activity'),
  '/jobs': page(() => import('./jobs/jobs.tsx'), 'Jobs'),
  '/jobs/:id/show': page(() => import('./jobs/show-job.tsx'), 'ShowJob'),
  '/routes': page(() => import('./watch/routes.tsx'), 'Routes'),
  '/service': page(() => import('./watch/about.tsx'), 'AboutService'),
  '/sessions': page(() => import('./watch/sessions.tsx'), 'Sessions'),
  '/password': page(() => import('./account/own-password-form.tsx'), 'OwnPassword'),
  '/identities': page(() => import('./account/identities.tsx'), 'Identities'),
  '/second-factor': page(() => import('./factor/second-factor.tsx'), 'SecondFactor'),
  '/records/:path': RecordList,
  '/records/:path/import': page(() => import('./import/import-page.tsx'), 'ImportPage'),
  '/records/:path/create': page(() => import('./records/record-pages.tsx'), 'RecordCreate'),
  '/records/:path/trash': page(() => import('./trash/trash.tsx'), 'Trash'),
  '/records/:path/:id': page(() => import('./records/record-pages.tsx'), 'RecordEdit'),
  '/records/:path/:id/show': page(() => import('./records/record-show.tsx'), 'RecordShow'),
  '/records/:path/:id/history': page(() => import('./history/record-history.tsx'), 'RecordHistory'),
};

/** The context of every page, with or without a session. */
const Surroundings = () => (
  <CoreAdminContext
    authProvider={authProvider}
    dataProvider={dataProvider}
    i18nProvider={i18nProvider}
    queryClient={queryClient}
    store={store}
  >
    <ThemeProvider>
      <Outlet />
      <Leaving />
    </ThemeProvider>
  </CoreAdminContext>
);

/** Leads to the sign-in, and afterwards to the requested page. Clears what ra-core clears at a sign-out. */
const ToSignIn = () => {
  const { pathname, search } = useLocation();
  const reset = useResetStore();
  useEffect(() => {
    reset();
    queryClient.clear();
  }, [reset]);
  return <Navigate to={signInPath} replace state={{ nextPathname: pathname, nextSearch: search }} />;
};

const signInPath = '/login';

/** Leads to the sign-in if the browser cannot have a session; otherwise ra-core asks the service. */
const Administration = () => {
  const mayHaveSession = useSessionHint();
  const { pathname } = useLocation();
  return mayHaveSession || pathname === signInPath ? <Area /> : <ToSignIn />;
};

const Area = () => (
  <CssBaseline>
    <CoreAdminUI
      title={applicationTitle}
      disableTelemetry
      requireAuth
      layout={AppLayout}
      loginPage={SignIn}
      loading={Arriving}
      catchAll={PageNotFound}
      accessDenied={PageNotFound}
      authenticationError={PageNotFound}
      error={({ error }) => <BrokenPage error={error} onRetry={loadAgain} />}
      dashboard={Start}
    >
      <CustomRoutes>
        {Object.entries(pages).map(([path, Content]) => (
          <Route key={path} path={path} element={<Content />} />
        ))}
      </CustomRoutes>
    </CoreAdminUI>
    <Notification />
    <SignInAgain />
  </CssBaseline>
);

/** A router that can block navigation away from a form. */
const router = createBrowserRouter(
  [
    {
      element: <Surroundings />,
      children: [{ path: '*', element: <Administration /> }],
    },
  ],
  { basename: pagesPath.replace(/\/$/, '') || '/' },
);

export const App = () => <RouterProvider router={router} />;
