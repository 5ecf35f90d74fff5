import Alert from '@mui/material/Alert';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useMemo, useState } from 'react';
import { Waiting } from '../layout/waiting.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useModels } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import { PermissionFilter, usePermissionFilter } from './permission-filter.tsx';
import { Matrix } from './permission-matrix.tsx';
import { usePermissionTable, useTicks } from './permission-table.ts';
import { RecentChanges } from './role-history.tsx';

/** Names of models in the language of the page, as a function that stays the same while they do. */
const useStableNames = (): ((model: string) => string) => {
  const models = useModels();
  return useMemo(() => {
    const labels = new Map(models.map(({ model, label }) => [model, label]));
    return (model) => labels.get(model) ?? model;
  }, [models]);
};

/** Roles × models × actions. A tick is saved as it is made. */
export const Permissions = () => {
  const text = useText();
  const nameOf = useStableNames();
  const { roles, models, granted, isPending } = usePermissionTable();
  const { shown: ticked, tick } = useTicks(granted);
  const filter = usePermissionFilter(roles, models, nameOf);
  const narrow = useMediaQuery('(max-width: 760px)');
  const [chosen, setChosen] = useState<string>();
  if (isPending) return <Waiting />;
  const { shown, filtered } = filter;
  const [first] = shown.roles.filter((role) => role !== superAdmin);
  // A telephone has room for one role at a time.
  const one = shown.roles.find((role) => role === chosen) ?? first ?? shown.roles[0];
  const columns = narrow ? shown.roles.filter((role) => role === one) : shown.roles;
  return (
    <Page
      title={text('permissions.title')}
      lead={text('permissions.lead')}
      actions={<LinkButton to="/roles">{text('roles.manage')}</LinkButton>}
    >
      <Stack sx={{ gap: 2 }}>
        {models.length === 0 ? <Alert severity="info">{text('permissions.empty')}</Alert> : null}
        <PermissionFilter roles={roles} models={models} nameOf={nameOf} filter={filter} />
        {narrow && shown.roles.length > 1 ? (
          <TextField
            select
            label={text('permissions.role')}
            value={one ?? ''}
            onChange={(event) => setChosen(event.target.value)}
          >
            {shown.roles.map((role) => (
              <MenuItem key={role} value={role}>
                {role}
              </MenuItem>
            ))}
          </TextField>
        ) : null}
        {shown.models.length === 0 || columns.length === 0 ? (
          <Alert severity="info">{text('permissions.nothingShown')}</Alert>
        ) : (
          <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
            <Matrix
              roles={columns}
              models={shown.models}
              granted={ticked}
              filtered={filtered || narrow}
              onTick={(change) => void tick(change)}
            />
          </Paper>
        )}
        <RecentChanges />
      </Stack>
    </Page>
  );
};
