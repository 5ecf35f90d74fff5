import { type MouseEvent, useCallback } from 'react';
import { useNavigate } from 'react-router';
import { pagesPath } from '../base.ts';

/** Elements that handle clicks themselves. */
const controls =
  'a, button, input, label, select, textarea, summary, [role=button], [role=checkbox], [tabindex]';

/** True if a click is not meant for the row: it hit a control, or a dialog of the row. */
const isOnControl = ({ target, currentTarget }: MouseEvent<HTMLElement>): boolean => {
  if (target instanceof Node && !currentTarget.contains(target)) return true;
  const control = target instanceof Element ? target.closest(controls) : null;
  return control !== null && control !== currentTarget && currentTarget.contains(control);
};

/** A user who selects text of the row wants to copy it. */
const isMarking = (row: HTMLElement): boolean => {
  const selection = window.getSelection();
  return selection !== null && selection.type === 'Range' && selection.containsNode(row, true);
};

interface RowHandlers {
  readonly onClick: (event: MouseEvent<HTMLElement>) => void;
  readonly onAuxClick: (event: MouseEvent<HTMLElement>) => void;
}

/**
 * Opens a page by a click anywhere in its row except on controls; in a new tab with the same keys as a link. Keyboard
 * users have the link of the row.
 */
export const useRowOpening = (): ((to: string) => RowHandlers) => {
  const navigate = useNavigate();
  return useCallback(
    (to) => {
      const openBeside = (): void => {
        window.open(pagesPath.replace(/\/$/, '') + to, '_blank', 'noopener');
      };
      return {
        onClick: (event) => {
          if (event.defaultPrevented || isOnControl(event) || isMarking(event.currentTarget)) return;
          if (event.ctrlKey || event.metaKey || event.shiftKey) openBeside();
          else void navigate(to);
        },
        onAuxClick: (event) => {
          if (event.button !== 1 || isOnControl(event)) return;
          event.preventDefault();
          openBeside();
        },
      };
    },
    [navigate],
  );
};
