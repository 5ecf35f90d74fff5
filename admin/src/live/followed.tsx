/** The switch that makes a list follow changes, and the state of the connection. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useStore } from 'ra-core';
import type { ReactNode } from 'react';
import { sentenceOf } from '../parts/problem.ts';
import { RowMarksContext } from '../parts/row-marks.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { useFollowedList } from './use-followed-list.ts';
import type { LiveState } from './use-following.ts';

interface FollowedProps {
  /** Absent if the model has no events. */
  readonly model: string | undefined;
  /** The list; the switch belongs into its toolbar. */
  readonly children: (control: ReactNode) => ReactNode;
}

/** A list that follows changes if the user switched this on in this browser. */
export const Followed = ({ model, children }: FollowedProps) =>
  model === undefined ? children(null) : <Follower model={model}>{children}</Follower>;

const Follower = ({ model, children }: Pick<FollowedProps, 'children'> & { readonly model: string }) => {
  const text = useText();
  const [on, setOn] = useStore('live', false);
  const { state, marks, fresh, show } = useFollowedList(on ? model : undefined);
  const control = (
    <Stack direction="row" sx={{ alignItems: 'center', columnGap: 1, minHeight: 32 }}>
      <span role="status">
        {fresh === 0 ? null : (
          <Button size="small" variant="outlined" onClick={show}>
            {text('live.fresh', { count: fresh })}
          </Button>
        )}
      </span>
      <Status state={state} />
      <Button
        size="small"
        role="switch"
        aria-checked={on}
        onClick={() => setOn(!on)}
        endIcon={<Lamp on={on} />}
      >
        {text('live.switch')}
      </Button>
    </Stack>
  );
  return <RowMarksContext value={marks}>{children(control)}</RowMarksContext>;
};

/** Filled while on. */
const Lamp = ({ on }: { readonly on: boolean }) => (
  <Box
    component="span"
    sx={{
      width: 8,
      height: 8,
      borderRadius: '50%',
      border: '1.5px solid',
      ...(on ? { bgcolor: 'success.main', borderColor: 'success.main' } : { borderColor: 'text.secondary' }),
    }}
  />
);

const colours = {
  connecting: 'text.secondary',
  connected: 'success.main',
  broken: 'warning.main',
  refused: 'error.main',
  paused: 'text.secondary',
} as const;

/** The state of the connection, announced when it breaks and when it is back. */
const Status = ({ state }: { readonly state: LiveState | undefined }) => {
  const text = useText();
  const language = useLanguage();
  return (
    <Typography role="status" variant="body2" sx={{ color: state && colours[state.kind] }}>
      {state === undefined
        ? null
        : state.kind === 'refused'
          ? text('live.refused', { reason: sentenceOf(state.error, language, text) })
          : text(`live.${state.kind}`)}
    </Typography>
  );
};
