/** The button that deletes a role, with its question. */

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { AskDeletion } from '../deletion/ask-deletion.tsx';
import { useAct } from '../parts/use-act.ts';
import { useModelName } from '../records/use-metadata.ts';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { usePermissionTable } from './permission-table.ts';
import type { Role } from './role.ts';

/** Deletes a role. The question names its users and the permissions deleted with it. */
export const RemoveRole = ({ role }: { readonly role: Role }) => {
  const text = useText();
  const { act } = useAct();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  const remove = async (): Promise<void> => {
    const done = text('common.deleted', { count: 1 });
    await act(
      () => dataProvider.delete('roles', { id: role.name }),
      done,
      async () => {
        await navigate('/roles');
        await client.invalidateQueries();
      },
    );
    close();
  };
  return (
    <>
      <Button size="small" onClick={() => setAsking(true)}>
        {text('common.delete')}
      </Button>
      {asking ? (
        <AskDeletion
          title={text('roles.deleteTitle', { name: role.name })}
          resource="roles"
          ids={[role.name]}
          onConfirm={remove}
          onClose={close}
        >
          <DeletedPermissions role={role.name} />
        </AskDeletion>
      ) : null}
    </>
  );
};

/** The permissions that are deleted with a role. */
const DeletedPermissions = ({ role }: { readonly role: string }) => {
  const text = useText();
  const nameOf = useModelName();
  const { models, isGranted } = usePermissionTable();
  const granted = models
    .map(({ model, actions }) => ({
      model,
      actions: actions.filter(({ action }) => isGranted(role, model, action)),
    }))
    .filter(({ actions }) => actions.length > 0);
  const count = granted.reduce((sum, { actions }) => sum + actions.length, 0);
  return (
    <Stack sx={{ gap: 1 }}>
      {count === 0 ? null : (
        <>
          <Typography>{text('roles.deleteGrants', { count })}</Typography>
          <Stack component="ul" sx={{ m: 0, pl: 2.5, maxHeight: 200, overflow: 'auto' }}>
            {granted.map(({ model, actions }) => (
              <li key={model}>
                {text('common.list', {
                  name: nameOf(model),
                  items: actions
                    .map(({ action }) => text(`permissions.action.${action}`))
                    .join(text('common.separator')),
                })}
              </li>
            ))}
          </Stack>
        </>
      )}
      <Typography>{text('common.cannotUndo')}</Typography>
    </Stack>
  );
};
