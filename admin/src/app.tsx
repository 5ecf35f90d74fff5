import CssBaseline from '@mui/material/CssBaseline';
import { CoreAdminContext, CoreAdminUI, CustomRoutes } from 'ra-core';
import { lazy } from 'react';
import { createBrowserRouter, Outlet, Route, RouterProvider } from 'react-router';
import { SignInAgain } from './account/sign-in-again.tsx';
import { pagesPath } from './base.ts';
import { InvitationPage } from './invitation/invitation-page.tsx';
import { BrokenPage } from './layout/failure.tsx';
import { AppLayout, loadAgain } from './layout/layout.tsx';
import { Leaving } from './layout/leaving.tsx';
import { PageNotFound } from './layout/not-found.tsx';
import { Notification } from './layout/notification.tsx';
import { ThemeProvider } from './layout/theme-mode.tsx';
import { Waiting } from './layout/waiting.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { queryClient } from './query-client.ts';
import { authProvider, dataProvider } from './service.ts';
import { store } from './store.ts';
import { i18nProvider } from './texts/provider.ts';

const Start = lazy(() => import('./start/start.tsx').then(({ Start: page }) => ({ default: page })));
const Keys = lazy(() => import('./keys/keys.tsx').then(({ Keys: page }) => ({ default: page })));
const NewKey = lazy(() => import('./keys/new-key.tsx').then(({ NewKey: page }) => ({ default: page })));
const Users = lazy(() => import('./users/users.tsx').then(({ Users: page }) => ({ default: page })));
const NewUser = lazy(() => import('./users/user-form.tsx').then(({ NewUser: page }) => ({ default: page })));
const EditUser = lazy(() =>
  import('./users/user-form.tsx').then(({ EditUser: page }) => ({ default: page })),
);
const ShowUser = lazy(() =>
  import('./users/show-user.tsx').then(({ ShowUser: page }) => ({ default: page })),
);
const Roles = lazy(() => import('./access/roles.tsx').then(({ Roles: page }) => ({ default: page })));
const RolePage = lazy(() =>
  import('./access/role-page.tsx').then(({ RolePage: page }) => ({ default: page })),
);
const ShowKey = lazy(() => import('./keys/show-key.tsx').then(({ ShowKey: page }) => ({ default: page })));
const Permissions = lazy(() =>
  import('./access/permissions.tsx').then(({ Permissions: page }) => ({ default: page })),
);
const Explain = lazy(() => import('./access/explain.tsx').then(({ Explain: page }) => ({ default: page })));
const Applications = lazy(() =>
  import('./watch/applications.tsx').then(({ Applications: page }) => ({ default: page })),
);
const Payments = lazy(() => import('./watch/payments.tsx').then(({ Payments: page }) => ({ default: page })));
const Audit = lazy(() => import('./watch/audit.tsx').then(({ Audit: page }) => ({ default: page })));
const Jobs = lazy(() => import('./jobs/jobs.tsx').then(({ Jobs: page }) => ({ default: page })));
const Sessions = lazy(() => import('./watch/sessions.tsx').then(({ Sessions: page }) => ({ default: page })));
const OwnPassword = lazy(() =>
  import('./account/own-password.tsx').then(({ OwnPassword: page }) => ({ default: page })),
);
const SecondFactor = lazy(() =>
  import('./factor/second-factor.tsx').then(({ SecondFactor: page }) => ({ default: page })),
);
const RecordList = lazy(() =>
  import('./records/record-list.tsx').then(({ RecordList: page }) => ({ default: page })),
);
const ImportPage = lazy(() =>
  import('./import/import-page.tsx').then(({ ImportPage: page }) => ({ default: page })),
);
const RecordShow = lazy(() =>
  import('./records/record-show.tsx').then(({ RecordShow: page }) => ({ default: page })),
);
const RecordCreate = lazy(() =>
  import('./records/record-pages.tsx').then(({ RecordCreate: page }) => ({ default: page })),
);
const RecordEdit = lazy(() =>
  import('./records/record-pages.tsx').then(({ RecordEdit: page }) => ({ default: page })),
);
const RecordHistory = lazy(() =>
  import('./history/record-history.tsx').then(({ RecordHistory: page }) => ({ default: page })),
);
const Trash = lazy(() => import('./trash/trash.tsx').then(({ Trash: page }) => ({ default: page })));
const Webhooks = lazy(() =>
  import('./webhooks/webhooks.tsx').then(({ Webhooks: page }) => ({ default: page })),
);
const NewWebhook = lazy(() =>
  import('./webhooks/webhook-form.tsx').then(({ NewWebhook: page }) => ({ default: page })),
);
const EditWebhook = lazy(() =>
  import('./webhooks/webhook-form.tsx').then(({ EditWebhook: page }) => ({ default: page })),
);
const ShowWebhook = lazy(() =>
  import('./webhooks/show-webhook.tsx').then(({ ShowWebhook: page }) => ({ default: page })),
);

/** The surroundings of every page, before the gate and behind it. */
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

const Administration = () => (
  <CssBaseline enableColorScheme>
    <CoreAdminUI
      title="Gatewright"
      disableTelemetry
      requireAuth
      layout={AppLayout}
      loginPage={SignIn}
      loading={Waiting}
      catchAll={PageNotFound}
      accessDenied={PageNotFound}
      authenticationError={PageNotFound}
      error={({ error }) => <BrokenPage error={error} onRetry={loadAgain} />}
      dashboard={Start}
    >
      <CustomRoutes>
        <Route path="/api_keys" element={<Keys />} />
        <Route path="/api_keys/create" element={<NewKey />} />
        <Route path="/api_keys/:id" element={<ShowKey />} />
        <Route path="/users" element={<Users />} />
        <Route path="/users/create" element={<NewUser />} />
        <Route path="/users/:id" element={<EditUser />} />
        <Route path="/users/:id/show" element={<ShowUser />} />
        <Route path="/roles" element={<Roles />} />
        <Route path="/roles/:name" element={<RolePage />} />
        <Route path="/permissions" element={<Permissions />} />
        <Route path="/explain" element={<Explain />} />
        <Route path="/applications" element={<Applications />} />
        <Route path="/payments" element={<Payments />} />
        <Route path="/audit" element={<Audit />} />
        <Route path="/webhooks" element={<Webhooks />} />
        <Route path="/webhooks/create" element={<NewWebhook />} />
        <Route path="/webhooks/:id" element={<EditWebhook />} />
        <Route path="/webhooks/:id/show" element={<ShowWebhook />} />
        <Route path="/jobs" element={<Jobs />} />
        <Route path="/sessions" element={<Sessions />} />
        <Route path="/password" element={<OwnPassword />} />
        <Route path="/second-factor" element={<SecondFactor />} />
        <Route path="/records/:path" element={<RecordList />} />
        <Route path="/records/:path/import" element={<ImportPage />} />
        <Route path="/records/:path/create" element={<RecordCreate />} />
        <Route path="/records/:path/trash" element={<Trash />} />
        <Route path="/records/:path/:id" element={<RecordEdit />} />
        <Route path="/records/:path/:id/show" element={<RecordShow />} />
        <Route path="/records/:path/:id/history" element={<RecordHistory />} />
      </CustomRoutes>
    </CoreAdminUI>
    <Notification />
    <SignInAgain />
  </CssBaseline>
);

/** One that can hold back a way that leads out of a form. */
const router = createBrowserRouter(
  [
    {
      element: <Surroundings />,
      children: [
        // Beside the administration, not within it: whether there is a session, and whose, does not matter.
        {
          path: 'invitation',
          element: (
            <CssBaseline enableColorScheme>
              <InvitationPage />
            </CssBaseline>
          ),
        },
        { path: '*', element: <Administration /> },
      ],
    },
  ],
  { basename: pagesPath.replace(/\/$/, '') || '/' },
);

export const App = () => <RouterProvider router={router} />;
