import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Stack from '@mui/material/Stack';
import Switch from '@mui/material/Switch';
import Typography from '@mui/material/Typography';
import { useStore } from 'ra-core';
import type { ReactNode } from 'react';
import { sentenceOf } from '../parts/problem.ts';
import { RowMarksContext } from '../parts/row-marks.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { useFollowedList } from './use-followed-list.ts';
import type { LiveState } from './use-following.ts';

interface FollowedProps {
  /** Absent: nothing tells of changes. */
  readonly model: string | undefined;
  readonly children: ReactNode;
}

/** A list that follows along where somebody has switched it on, in this browser. */
export const Followed = ({ model, children }: FollowedProps) =>
  model === undefined ? children : <Follower model={model}>{children}</Follower>;

const Follower = ({ model, children }: { readonly model: string; readonly children: ReactNode }) => {
  const text = useText();
  const [on, setOn] = useStore('live', false);
  const { state, marks, fresh, show } = useFollowedList(on ? model : undefined);
  return (
    <>
      <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', columnGap: 1, minHeight: 40 }}>
        <FormControlLabel
          sx={{ mr: 0, ml: -0.75, gap: 0.5 }}
          control={<Switch size="small" checked={on} onChange={(event) => setOn(event.target.checked)} />}
          label={text('live.switch')}
        />
        <Status state={state} />
        <span role="status">
          {fresh === 0 ? null : (
            <Button size="small" variant="outlined" onClick={show}>
              {text('live.fresh', { count: fresh })}
            </Button>
          )}
        </span>
      </Stack>
      <RowMarksContext value={marks}>{children}</RowMarksContext>
    </>
  );
};

const colours = {
  connecting: 'text.secondary',
  connected: 'success.main',
  broken: 'warning.main',
  refused: 'error.main',
  paused: 'text.secondary',
} as const;

/** Whether what is shown is as it is now: announced when it is not, and when it is so again. */
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
