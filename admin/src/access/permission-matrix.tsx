/** The permission table with its events and menus. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Popper from '@mui/material/Popper';
import Typography from '@mui/material/Typography';
import {
  type ChangeEvent,
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { enterAt, keepEntry, moveByArrow } from '../parts/table-keys.ts';
import { useModels } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { useChangeSentence } from './change-words.ts';
import { matrixStyle } from './matrix-style.ts';
import { MatrixTable } from './matrix-table.tsx';
import type { ModelActions, PermissionAction, PermissionChange } from './permission-table.ts';
import { type Whole, WholeMenu } from './whole-change.tsx';

interface MatrixProps {
  readonly roles: readonly string[];
  /** Number of users with each role. */
  readonly people: ReadonlyMap<string, number>;
  readonly models: readonly ModelActions[];
  readonly granted: ReadonlySet<string>;
  /** True if a filter hides a part of the table. */
  readonly filtered: boolean;
  readonly onTick: (change: PermissionChange) => void;
}

/** A change of the entry that a box stands for, by its value. */
const changeOf = (entry: string, allowed: boolean): PermissionChange => {
  const [role = '', model = '', action = ''] = entry.split(' ');
  return { role, model, action: action as PermissionAction, allowed };
};

const changeIn = ({ target }: ChangeEvent<HTMLElement>): PermissionChange | undefined => {
  if (!(target instanceof HTMLInputElement)) return undefined;
  return changeOf(target.value, target.checked);
};

/** The row or column that a button of a head stands for. */
const useWhole = (
  roles: readonly string[],
  models: readonly ModelActions[],
  nameOf: (model: string) => string,
): ((button: HTMLElement) => Whole) => {
  const text = useText();
  return ({ dataset: { role, model = '', action } }) => {
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
};

/** The table, which always has one stop of the Tab key, also after it was filtered or unfolded. */
const useEntry = (
  roles: readonly string[],
  models: readonly ModelActions[],
  folded: ReadonlySet<string> | undefined,
) => {
  const region = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: folding replaces the boxes.
  useEffect(() => {
    if (roles.length > 0 && models.length > 0 && region.current !== null) enterAt(region.current);
  }, [roles, models, folded]);
  return region;
};

/** The value of the pointed box; undefined elsewhere. */
const boxIn = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest('label')?.querySelector('input')?.value : undefined;

/** Names of models in the language of the page. The function is the same until they change. */
const useStableNames = (): ((model: string) => string) => {
  const models = useModels();
  return useMemo(() => {
    const labels = new Map(models.map(({ model, plural_label: label }) => [model, label]));
    return (model) => labels.get(model) ?? model;
  }, [models]);
};

/** Models up to which every action of each has its own column. */
const unfolded = 6;

/** The models that are folded; undefined if there are so few that none folds. */
const useFolding = (models: readonly ModelActions[]) => {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const folded = useMemo(
    () =>
      models.length <= unfolded
        ? undefined
        : new Set(models.map(({ model }) => model).filter((model) => !open.has(model))),
    [models, open],
  );
  const toggle = (model: string): void =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(model)) after.add(model);
      return after;
    });
  const toggleAll = (): void =>
    setOpen(folded?.size === 0 ? new Set() : new Set(models.map(({ model }) => model)));
  return { folded, toggle, toggleAll };
};

interface FootProps {
  /** The change that a click would make. */
  readonly pointed: PermissionChange | undefined;
  readonly people: ReadonlyMap<string, number>;
  /** True if the permission check of some resource is off. */
  readonly unchecked: boolean;
  readonly children: ReactNode;
}

/** The line below the table: what a click would change and for how many people. It has its height from the start. */
const Foot = ({ pointed, people, unchecked, children }: FootProps) => {
  const text = useText();
  const sentence = useChangeSentence();
  const count = pointed === undefined ? undefined : people.get(pointed.role);
  return (
    <Box sx={footStyle}>
      <span>
        {pointed === undefined
          ? text(unchecked ? 'permissions.uncheckedNote' : 'permissions.pointAtCell')
          : text('permissions.onClick', { change: sentence(pointed) })}
        {count === undefined ? null : ` · ${text('permissions.affects', { smart_count: count })}`}
      </span>
      {children}
    </Box>
  );
};

const footStyle = {
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 2,
  px: 1.5,
  py: 0.5,
  minHeight: 36,
  borderTop: 1,
  borderColor: 'divider',
  typography: 'body2',
  color: 'text.secondary',
} as const;

/** The table of roles, models and actions, with menus that change a whole row or column. */
export const Matrix = ({ roles, people, models, granted, filtered, onTick }: MatrixProps) => {
  const text = useText();
  const nameOf = useStableNames();
  const wholeOf = useWhole(roles, models, nameOf);
  const { folded, toggle, toggleAll } = useFolding(models);
  const [pointed, setPointed] = useState<string>();
  const { handlers, full } = useFullNameTooltip();
  const [opened, setOpened] = useState<{ readonly whole: Whole; readonly anchor: HTMLElement }>();

  const open = ({ target }: MouseEvent): void => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button') : null;
    const { whole, fold } = button?.dataset ?? {};
    if (button !== null && whole !== undefined) setOpened({ whole: wholeOf(button), anchor: button });
    if (fold !== undefined) toggle(fold);
  };
  const tick = (event: ChangeEvent<HTMLElement>): void => {
    const change = changeIn(event);
    if (change !== undefined) onTick(change);
  };

  const region = useEntry(roles, models, folded);
  const { onFocus: lookAtFocus, onMouseOver: lookAtPointer, ...others } = handlers;
  const foresee = ({ target }: SyntheticEvent): void => setPointed(boxIn(target));

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
          foresee(event);
        }}
        onMouseOver={(event: MouseEvent<HTMLElement>) => {
          lookAtPointer(event);
          foresee(event);
        }}
        {...others}
      >
        <MatrixTable
          roles={roles}
          people={people}
          models={models}
          folded={folded}
          granted={granted}
          nameOf={nameOf}
        />
      </Box>
      <Foot
        pointed={pointed === undefined ? undefined : changeOf(pointed, !granted.has(pointed))}
        people={people}
        unchecked={models.some(({ actions }) => actions.some(({ checked }) => !checked))}
      >
        {folded === undefined ? null : (
          <Button size="small" onClick={toggleAll}>
            {text(folded.size === 0 ? 'permissions.foldAll' : 'permissions.unfoldAll')}
          </Button>
        )}
      </Foot>
      {full}
      {opened === undefined ? null : (
        <WholeMenu
          whole={opened.whole}
          anchor={opened.anchor}
          granted={granted}
          people={people}
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
