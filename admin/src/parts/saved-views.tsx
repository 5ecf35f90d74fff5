/** The tabs of saved views above a list, with their actions. */

import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import { useQueryClient } from '@tanstack/react-query';
import { type SortPayload, useListContext, useStore } from 'ra-core';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { useText } from '../texts/provider.ts';
import { Confirm } from './confirm.tsx';
import { Icon } from './icon.tsx';
import {
  changeView,
  createView,
  deleteView,
  type NamedView,
  queryOf,
  type SavedView,
  searchOf,
  showsSame,
  useViews,
  type ViewQuery,
} from './saved-view.ts';
import { useAct } from './use-act.ts';

const unnamed: NamedView = { name: '', shared: false };

const ViewName = lazy(() => import('./view-name.tsx').then(({ ViewName: part }) => ({ default: part })));

interface SavedViewsProps {
  /** Default order of the list. */
  readonly usual: SortPayload;
  readonly chosen: readonly string[] | undefined;
  readonly onChoose: (names: readonly string[] | undefined) => void;
}

type Asking = 'save' | 'rename' | 'delete';

const tabStyle = (pressed: boolean) => ({
  flexShrink: 0,
  px: 1.25,
  color: pressed ? 'text.primary' : 'text.secondary',
  bgcolor: pressed ? 'action.hover' : 'transparent',
  // The row may scroll, which would cut an outer outline.
  '&.Mui-focusVisible': { outlineOffset: -2 },
});

/** The current settings of the list, and the saved view that they are, or were before a change. */
const useCurrentView = ({ usual, chosen }: SavedViewsProps) => {
  const { resource, filterValues, sort } = useListContext();
  const { data: views = [] } = useViews(resource);
  const [lastId, setLastId] = useStore<number>(`view.${resource}`, 0);
  const now = queryOf(filterValues ?? {}, sort, chosen);
  const exact = views.find(({ query }) => showsSame(query, now, usual));
  const isPlain = showsSame({}, now, usual);
  const last = isPlain ? undefined : views.find(({ id }) => id === lastId);
  return { resource, views, now, isPlain, active: exact ?? last, changed: exact === undefined, setLastId };
};

/** The saved views of a list, and the actions on the current one. */
export const SavedViews = (props: SavedViewsProps) => {
  const { usual, onChoose } = props;
  const text = useText();
  const navigate = useNavigate();
  const { resource, views, now, isPlain, active, changed, setLastId } = useCurrentView(props);
  const [asking, setAsking] = useState<Asking>();

  const show = (id: number, query: ViewQuery): void => {
    setLastId(id);
    onChoose(query.columns);
    void navigate(searchOf(query, usual));
  };

  if (views.length === 0 && isPlain) return null;
  return (
    <Stack
      direction="row"
      role="group"
      aria-label={text('views.label')}
      sx={{ alignItems: 'center', overflowX: 'auto', columnGap: 0.25, minWidth: 0, ml: { sm: 1 } }}
    >
      <Button aria-pressed={isPlain} sx={tabStyle(isPlain)} onClick={() => show(0, {})}>
        {text('views.all')}
      </Button>
      {views.map((view) => {
        const pressed = view.id === active?.id;
        return (
          <Button
            key={view.id}
            aria-pressed={pressed}
            sx={tabStyle(pressed)}
            onClick={() => show(view.id, view.query)}
          >
            {view.name}
            {view.mine ? null : ` · ${view.owner}`}
            {pressed && changed ? ` · ${text('views.changed')}` : null}
          </Button>
        );
      })}
      {active === undefined ? null : <ViewMenu view={active} now={now} changed={changed} onAsk={setAsking} />}
      {active === undefined && !isPlain ? (
        <Button sx={{ flexShrink: 0 }} onClick={() => setAsking('save')}>
          {text('views.save')}
        </Button>
      ) : null}
      {asking === undefined ? null : (
        <Asked
          asking={asking}
          view={active}
          now={now}
          resource={resource}
          onClose={() => setAsking(undefined)}
          onSaved={({ id }) => setLastId(id)}
          onDeleted={() => show(0, {})}
        />
      )}
    </Stack>
  );
};

interface ViewMenuProps {
  readonly view: SavedView;
  readonly now: ViewQuery;
  readonly changed: boolean;
  readonly onAsk: (asking: Asking) => void;
}

const ViewMenu = ({ view, now, changed, onAsk }: ViewMenuProps) => {
  const text = useText();
  const { act } = useAct();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const choose = (then: () => void) => () => {
    setAnchor(null);
    then();
  };
  return (
    <>
      {changed && view.mine ? (
        <Button
          size="small"
          sx={{ flexShrink: 0 }}
          onClick={() => void act(() => changeView(view.id, { query: now }))}
        >
          {text('views.keep')}
        </Button>
      ) : null}
      <IconButton
        size="small"
        aria-label={text('views.menu', { name: view.name })}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <Icon name="dots" fontSize="small" />
      </IconButton>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        <MenuItem onClick={choose(() => onAsk('save'))}>{text('views.saveAs')}</MenuItem>
        {view.mine
          ? (['rename', 'delete'] as const).map((each) => (
              <MenuItem key={each} onClick={choose(() => onAsk(each))}>
                {text(`views.${each}`)}
              </MenuItem>
            ))
          : null}
      </Menu>
    </>
  );
};

interface AskedProps {
  readonly asking: Asking;
  readonly view: SavedView | undefined;
  readonly now: ViewQuery;
  readonly resource: string;
  readonly onClose: () => void;
  readonly onSaved: (view: SavedView) => void;
  readonly onDeleted: () => void;
}

const Asked = ({ asking, view, now, resource, onClose, onSaved, onDeleted }: AskedProps) => {
  const text = useText();
  const { act } = useAct();
  const client = useQueryClient();
  const remove = async (): Promise<void> => {
    await act(async () => {
      if (view !== undefined) await deleteView(view.id);
      onDeleted();
    });
    onClose();
  };
  const save = async (named: NamedView): Promise<void> => {
    if (asking === 'rename' && view !== undefined) await changeView(view.id, named);
    else onSaved(await createView(resource, named, now));
    await client.invalidateQueries({ queryKey: ['views', resource] });
  };
  if (asking === 'delete')
    return (
      <Confirm
        open
        title={text('views.deleteTitle', { name: view?.name ?? '' })}
        action={text('common.delete')}
        onConfirm={remove}
        onClose={onClose}
      >
        {text('common.cannotUndo')}
      </Confirm>
    );
  return (
    <Suspense fallback={null}>
      <ViewName
        title={text(asking === 'rename' ? 'views.renameTitle' : 'views.saveTitle')}
        first={asking === 'rename' && view !== undefined ? view : unnamed}
        onSave={save}
        onClose={onClose}
      />
    </Suspense>
  );
};
