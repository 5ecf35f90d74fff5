import Paper from '@mui/material/Paper';
import Popper from '@mui/material/Popper';
import Typography from '@mui/material/Typography';
import { type SyntheticEvent, useState } from 'react';

/** The element of a cut text, as far as the pointer or the focus is on it. */
const cutIn = (target: EventTarget): HTMLElement | undefined => {
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-cut]') : null;
  const inner = found?.querySelector<HTMLElement>('[data-name]') ?? found;
  return inner !== null && inner !== undefined && inner.scrollWidth > inner.clientWidth ? inner : undefined;
};

/**
 * Shows the whole of a name that is cut where the pointer or the focus is on it. One for a table: a tooltip for each of
 * its heads would be made whether anybody looks at it or not.
 */
export const useFullNames = () => {
  const [anchor, setAnchor] = useState<HTMLElement>();
  const look = ({ target }: SyntheticEvent): void => setAnchor(cutIn(target));
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
