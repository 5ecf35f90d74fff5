/** The pages that show records as another user sees them: a list, and a record. Nothing on them can be changed. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Navigate, useNavigate, useParams, useSearchParams } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useModels } from '../records/use-metadata.ts';
import { WithMetadata } from '../records/with-metadata.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { SeenList } from './seen-list.tsx';
import { SeenRecord } from './seen-record.tsx';
import type { User } from './user.ts';

/** The records of a model, or one record, as another user sees them. */
export const ViewAsUser = () => {
  const { id = '' } = useParams();
  const query = useQuery({
    queryKey: ['user', id],
    queryFn: async () => (await send<User>('GET', `/admin/users/${id}`)).data,
  });
  return <Loaded query={query}>{(user) => <Viewed user={user} />}</Loaded>;
};

const Viewed = ({ user }: { readonly user: User }) => {
  const text = useText();
  const models = useModels();
  const { path, record } = useParams();
  const [parameters] = useSearchParams();
  const first = parameters.get('model') ?? models[0]?.path;
  if (path === undefined)
    return first === undefined ? null : <Navigate to={`/users/${user.id}/view/${first}`} replace />;
  return (
    <Page
      title={text('viewAs.title', { name: user.username })}
      actions={<LinkButton to={`/users/${user.id}/show`}>{text('viewAs.leave')}</LinkButton>}
    >
      <Rail>
        <Alert
          severity="warning"
          variant="outlined"
          icon={<Icon name="lock" fontSize="small" />}
          role="status"
        >
          {text('viewAs.marked', { name: user.username })}
        </Alert>
        <WithMetadata key={path} path={path}>
          {(metadata) =>
            record === undefined ? (
              <>
                <ModelSwitch user={user} path={path} />
                <SeenList key={path} user={user} metadata={metadata} path={path} />
              </>
            ) : (
              <SeenRecord user={user} metadata={metadata} path={path} id={Number(record)} />
            )
          }
        </WithMetadata>
      </Rail>
    </Page>
  );
};

/** An amber rail over the height of the window: an administrator who looks through the eyes of another cannot forget it. */
const Rail = ({ children }: { readonly children: ReactNode }) => (
  <Stack sx={{ gap: 2 }}>
    <Box aria-hidden="true" data-rail="" sx={railStyle} />
    {children}
  </Stack>
);

const railStyle = {
  position: 'fixed',
  insetBlock: 0,
  left: 0,
  width: 3,
  bgcolor: 'var(--lantern-light)',
  zIndex: 'tooltip',
  pointerEvents: 'none',
} as const;

/** Chooses the resource. */
const ModelSwitch = ({ user, path }: { readonly user: User; readonly path: string }) => {
  const text = useText();
  const models = useModels();
  const navigate = useNavigate();
  return (
    <TextField
      select
      label={text('viewAs.model')}
      value={path}
      onChange={(event) => navigate(`/users/${user.id}/view/${event.target.value}`)}
      sx={{ maxWidth: 320 }}
    >
      {models.map((each) => (
        <MenuItem key={each.path} value={each.path}>
          {each.plural_label}
        </MenuItem>
      ))}
    </TextField>
  );
};
