import Chip from '@mui/material/Chip';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { ListBase } from 'ra-core';
import { useParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Facts } from '../parts/facts.tsx';
import { saidInPlace } from '../parts/failed.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { RemoveRole } from './remove-role.tsx';
import type { Role } from './role.ts';
import { RoleGrants } from './role-grants.tsx';
import { RoleHistory } from './role-history.tsx';
import { HoldersTable } from './role-holders.tsx';

/** One role: who holds it, what it may do, and how it came to that. */
export const RolePage = () => {
  const { name = '' } = useParams();
  const text = useText();
  const { data: role, error } = useQuery({
    queryKey: ['roles', 'shown', name],
    queryFn: async () => (await send<Role>('GET', `/admin/roles/${encodeURIComponent(name)}`)).data,
  });
  if (error) return <FailurePage error={error} />;
  if (role === undefined) return <Waiting />;
  return (
    <Page
      title={role.name}
      lead={text('roles.about', { name: role.name })}
      actions={
        <>
          <LinkButton to={`/permissions?roles=${role.name}`}>{text('roles.inTable')}</LinkButton>
          {role.built_in ? null : <RemoveRole role={role} />}
        </>
      }
    >
      <Stack sx={{ gap: 3 }}>
        <Facts
          facts={[
            [
              text('roles.kind'),
              <Chip
                key="kind"
                size="small"
                variant="outlined"
                label={text(role.built_in ? 'roles.builtIn' : 'roles.own')}
              />,
            ],
            [text('roles.users'), String(role.users)],
            [text('common.createdAt'), <Time key="created" value={role.created_at} />],
          ]}
        />
        <RoleGrants role={role.name} />
        <Stack sx={{ gap: 1 }}>
          <Typography id="holders" variant="h2">
            {text('roles.holders')}
          </Typography>
          <ListBase
            key={role.name}
            resource={`roles/${role.name}/users`}
            sort={{ field: 'username', order: 'ASC' }}
            perPage={10}
            disableAuthentication
            disableSyncWithLocation
            exporter={false}
            queryOptions={saidInPlace}
          >
            <HoldersTable />
          </ListBase>
        </Stack>
        <RoleHistory role={role.name} />
      </Stack>
    </Page>
  );
};
