/** The permission table with its events and menus. */

import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Popper from '@mui/material/Popper';
import Typography from '@mui/material/Typography';
import {
  type ChangeEvent,
  type FocusEvent,
  type MouseEvent,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react';
import { enterAt, keepEntry, moveByArrow } from '../parts/table-keys.ts';
import { useModelName } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { matrixStyle } from './matrix-style.ts';
import { MatrixTable } from './matrix-table.tsx';
import type { ModelActions, PermissionAction, PermissionChange } from './permission-table.ts';
import { type Whole, WholeMenu } from './whole-change.tsx';

interface MatrixProps {
  readonly roles: readonly string[];
  readonly models: readonly ModelActions[];
  readonly granted: ReadonlySet<string>;
  /** True if a filter hides a part of the table. */
  readonly filtered: boolean;
  readonly onTick: (change: PermissionChange) => void;
}

const changeIn = ({ target }: ChangeEvent<HTMLElement>): PermissionChange | undefined => {
  if (!(target instanceof HTMLInputElement)) return undefined;
  const [role = '', model = '', action = ''] = target.value.split(' ');
  return { role, model, action: action as PermissionAction, allowed: target.checked };
};

/** The table of roles, models and actions, with menus that change a whole row or column. */
export const Matrix = ({ roles, models, granted, filtered, onTick }: MatrixProps) => {
  const text = useText();
  const nameOf = useModelName();
  const { handlers, full } = useFullNameTooltip();
  const [opened, setOpened] = useState<{ readonly whole: Whole; readonly anchor: HTMLElement }>();

  const changeGroupOf = ({ dataset: { role, model = '', action } }: HTMLElement): Whole => {
    if (role !== undefined) return { name: role, role, roles: [role], models };
    const named = models.filter((each) => each.model === model);
    if (action === undefined) return { name: nameOf(model), roles, models: named };
    const only = named.map((each) => ({
      ...each,
      actions: each.actions.filter((one) => one.action === action),
    }));
    const actionName = text(`permissions.action.${action as PermissionAction}`);
    return { name: `${nameOf(model)} · ${actionName}`, roles, models: only };
  };
  const open = ({ target }: MouseEvent): void => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button[data-whole]') : null;
    if (button !== null) setOpened({ whole: changeGroupOf(button), anchor: button });
  };
  const tick = (event: ChangeEvent<HTMLElement>): void => {
    const change = changeIn(event);
    if (change !== undefined) onTick(change);
  };

  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (roles.length > 0 && models.length > 0 && region.current !== null) enterAt(region.current);
  }, [roles, models]);
  const { onFocus: lookAtFocus, ...others } = handlers;

  return (
    <>
      <Box
        ref={region}
        sx={matrixStyle}
        tabIndex={0}
        role="region"
        aria-label={text('titles.permissions')}
        onChange={tick}
        onClick={open}
        onKeyDown={moveByArrow}
        onFocus={(event: FocusEvent<HTMLElement>) => {
          keepEntry(event);
          lookAtFocus(event);
        }}
        {...others}
      >
        <MatrixTable roles={roles} models={models} granted={granted} nameOf={nameOf} />
      </Box>
      {full}
      {opened === undefined ? null : (
        <WholeMenu
          whole={opened.whole}
          anchor={opened.anchor}
          granted={granted}
          filtered={filtered}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
};

/** The element with a truncated text under the pointer or the focus. */
const truncatedIn = (target: EventTarget): HTMLElement | undefined => {
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-cut]') : null;
  const inner = found?.querySelector<HTMLElement>('[data-name]') ?? found;
  return inner !== null && inner !== undefined && inner.scrollWidth > inner.clientWidth ? inner : undefined;
};

/**
 * Shows the full name of a truncated head under the pointer or the focus. One tooltip serves the whole table: one for
 * each head would be rendered whether needed or not.
 */
export const useFullNameTooltip = () => {
  const [anchor, setAnchor] = useState<HTMLElement>();
  const look = ({ target }: SyntheticEvent): void => setAnchor(truncatedIn(target));
  const leave = (): void => setAnchor(undefined);
  return {
    handlers: { onMouseOver: look, onMouseLeave: leave, onFocus: look, onBlur: leave },
    full: (
      <Popper
        open={anchor !== undefined}
        anchorEl={anchor ?? null}
        placement="bottom"
        sx={{ zIndex: 'tooltip' }}
      >
        <Paper variant="outlined" sx={{ px: 1.25, py: 0.5, m: 0.5, maxWidth: 480 }}>
          <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
            {anchor?.textContent}
          </Typography>
        </Paper>
      </Popper>
    ),
  };
};
