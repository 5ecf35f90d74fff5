/** The page of permissions. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Waiting } from '../layout/waiting.tsx';
import { FloatingBar } from '../parts/bulk-bar.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useModelName } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { useChangeSentence } from './change-words.ts';
import { PermissionFilter, usePermissionFilter } from './permission-filter.tsx';
import { Matrix } from './permission-matrix.tsx';
import { type PermissionChange, usePermissionTable, useTicks } from './permission-table.ts';
import type { Role } from './role.ts';
import { RecentChanges } from './role-history.tsx';
import { useSessionChanges } from './session-changes.ts';

/** The number of users with each role. */
const usePeople = (): ReadonlyMap<string, number> => {
  const { data } = useQuery({
    queryKey: ['people of roles'],
    queryFn: async () => (await send<readonly Role[]>('GET', '/admin/roles')).data,
  });
  return useMemo(() => new Map((data ?? []).map(({ name, users }) => [name, users])), [data]);
};

/** The permission table. Each tick is saved immediately. */
export const Permissions = () => {
  const text = useText();
  const nameOf = useModelName();
  const people = usePeople();
  const { roles, models, granted, isPending } = usePermissionTable();
  const { shown: ticked, tick } = useTicks(granted);
  const made = useSessionChanges();
  const filter = usePermissionFilter(roles, models, nameOf);
  if (isPending) return <Waiting />;
  const { shown, filtered } = filter;
  return (
    <Page
      title={text('titles.permissions')}
      lead={text('permissions.lead')}
      actions={<LinkButton to="/roles">{text('roles.manage')}</LinkButton>}
    >
      <Stack sx={{ gap: 2 }}>
        {models.length === 0 ? <Alert severity="info">{text('permissions.empty')}</Alert> : null}
        <PermissionFilter roles={roles} models={models} nameOf={nameOf} filter={filter} />
        {shown.models.length === 0 || shown.roles.length === 0 ? (
          <Alert severity="info">{text('permissions.nothingShown')}</Alert>
        ) : (
          <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
            <Matrix
              roles={shown.roles}
              people={people}
              models={shown.models}
              granted={ticked}
              filtered={filtered}
              onTick={(change) => {
                made.note(change);
                void tick(change);
              }}
            />
          </Paper>
        )}
        <RecentChanges />
        {made.count === 0 ? null : (
          <FloatingBar>
            <Typography role="status" sx={{ px: 1, fontWeight: 500 }}>
              {text('permissions.made', { smart_count: made.count })}
            </Typography>
            {made.last === undefined ? null : (
              <Typography variant="body2" sx={{ color: 'text.secondary' }}>
                <LastChange change={made.last} people={people.get(made.last.role)} />
              </Typography>
            )}
            <Button onClick={() => void made.undo()}>{text('trash.undo')}</Button>
          </FloatingBar>
        )}
      </Stack>
    </Page>
  );
};

interface LastChangeProps {
  readonly change: PermissionChange;
  readonly people: number | undefined;
}

const LastChange = ({ change, people }: LastChangeProps) => {
  const text = useText();
  const sentence = useChangeSentence();
  return people === undefined
    ? sentence(change)
    : `${sentence(change)} · ${text('permissions.affects', { smart_count: people })}`;
};
