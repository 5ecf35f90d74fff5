/** Changes of a whole row or column of the permission table. */

import Alert from '@mui/material/Alert';
import Divider from '@mui/material/Divider';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { Confirm } from '../parts/confirm.tsx';
import { useTell } from '../parts/problem.ts';
import { useUndoNotice } from '../parts/undo.tsx';
import { useText } from '../texts/provider.ts';
import {
  changesOf,
  invertChanges,
  type ModelActions,
  type PermissionChange,
  saveChanges,
  useRefresh,
} from './permission-table.ts';

/** Saves changes in one transaction, reports their number, and offers to undo them. */
export const useSaveChanges = (): ((changes: readonly PermissionChange[]) => Promise<boolean>) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const offer = useUndoNotice();
  const refresh = useRefresh();
  const undo = async (changed: readonly PermissionChange[]): Promise<void> => {
    try {
      const back = await saveChanges(invertChanges(changed));
      notify(text('permissions.undone', { count: back.length }), { type: 'success' });
    } catch (error) {
      tell(error);
    }
    await refresh();
  };
  return async (changes) => {
    try {
      const changed = await saveChanges(changes);
      await refresh();
      offer(text('permissions.changed', { count: changed.length }), () => undo(changed));
      return true;
    } catch (error) {
      tell(error);
      await refresh();
      return false;
    }
  };
};

/** A row, a column, or several rows of the table. */
export interface Whole {
  /** Name in a sentence. */
  readonly name: string;
  readonly roles: readonly string[];
  readonly models: readonly ModelActions[];
  /** Only for a row. */
  readonly role?: string;
}

interface WholeMenuProps {
  readonly whole: Whole;
  readonly anchor: HTMLElement;
  readonly granted: ReadonlySet<string>;
  /** Number of users with each role. */
  readonly people: ReadonlyMap<string, number>;
  /** True if a filter hides a part of the table. */
  readonly filtered: boolean;
  readonly onClose: () => void;
}

/** The menu of a whole row or column. It shows how many permissions would change; the change can be undone. */
export const WholeMenu = ({ whole, anchor, granted, people, filtered, onClose }: WholeMenuProps) => {
  const text = useText();
  const save = useSaveChanges();
  const [asked, setAsked] = useState<boolean>();
  const of = (allowed: boolean) => changesOf(whole.roles, whole.models, granted, allowed);
  const changes = asked === undefined ? [] : of(asked);
  // Unknown for several roles: the same people may hold two of them.
  const count = whole.role === undefined ? undefined : people.get(whole.role);
  const [granting, revoking] = [of(true).length, of(false).length];
  return (
    <>
      <Menu open={asked === undefined} anchorEl={anchor} onClose={onClose}>
        {whole.role === undefined ? null : (
          <MenuItem component={RouterLink} to={`/roles/${whole.role}`}>
            {text('permissions.openRole')}
          </MenuItem>
        )}
        {whole.role === undefined ? null : <Divider />}
        <MenuItem disabled={granting === 0} onClick={() => setAsked(true)}>
          <ListItemText secondary={text('permissions.wouldGrant', { count: granting })}>
            {text('permissions.grantAll')}
          </ListItemText>
        </MenuItem>
        <MenuItem disabled={revoking === 0} onClick={() => setAsked(false)}>
          <ListItemText secondary={text('permissions.wouldRevoke', { count: revoking })}>
            {text('permissions.revokeAll')}
          </ListItemText>
        </MenuItem>
      </Menu>
      <Confirm
        open={asked !== undefined}
        title={text(asked === true ? 'permissions.grantTitle' : 'permissions.revokeTitle', {
          name: whole.name,
        })}
        action={text(asked === true ? 'permissions.grant' : 'permissions.revoke', { count: changes.length })}
        dangerous={asked !== true}
        onConfirm={async () => {
          await save(changes);
          onClose();
        }}
        onClose={onClose}
      >
        <Stack sx={{ gap: 1.5 }}>
          <Typography>{sentence(changes)}</Typography>
          {count === undefined ? null : (
            <Typography>{text('permissions.affects', { smart_count: count })}</Typography>
          )}
          {filtered ? <Alert severity="info">{text('permissions.shownOnly')}</Alert> : null}
        </Stack>
      </Confirm>
    </>
  );

  function sentence(made: readonly PermissionChange[]): string {
    const roles = new Set(made.map(({ role }) => role)).size;
    const models = new Set(made.map(({ model }) => model)).size;
    return text(asked === true ? 'permissions.grantLead' : 'permissions.revokeLead', {
      count: made.length,
      roles,
      models,
    });
  }
};
