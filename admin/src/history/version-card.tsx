/** One version in the history of a record. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import type { StatusTone } from '../parts/status.tsx';
import { Step } from '../parts/steps.tsx';
import { RelativeTime } from '../parts/time.tsx';
import type { Metadata } from '../records/metadata.ts';
import { useText } from '../texts/provider.ts';
import { Actor } from './actor.tsx';
import { Changes } from './changes.tsx';
import { changedFields, isForgotten, type Version } from './version.ts';

interface VersionCardProps {
  readonly metadata: Metadata;
  readonly version: Version;
  /** True if the record still has the values of this version. */
  readonly isCurrent: boolean;
  readonly actions: ReactNode;
}

const toneOf = (action: Version['action'], isCurrent: boolean): StatusTone => {
  if (action === 'destroy') return 'bad';
  return isCurrent ? 'good' : 'off';
};

/** A version: action, author, time and changes. */
export const VersionCard = ({ metadata, version, isCurrent, actions }: VersionCardProps) => {
  const text = useText();
  const heading = useId();
  const { action, actor, at } = version;
  const name = text('history.version', { version: version.version });
  return (
    <Step
      tone={toneOf(action, isCurrent)}
      labelledBy={heading}
      title={
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 1 }}>
          <Typography id={heading} variant="h3" component="h2">
            {name}
          </Typography>
          <Box component="span" sx={{ fontWeight: 400 }}>
            {text(`history.actions.${action}`)}
          </Box>
          {isCurrent ? (
            <Box component="span" sx={{ typography: 'caption', fontWeight: 600, color: 'secondary.main' }}>
              {text('history.current')}
            </Box>
          ) : null}
        </Box>
      }
      aside={actions}
    >
      <Box sx={{ mb: 1, overflowWrap: 'anywhere' }}>
        <Actor actor={actor} /> · <RelativeTime value={at} />
      </Box>
      <Box sx={{ color: 'text.primary' }}>
        <Body metadata={metadata} version={version} name={name} />
      </Box>
    </Step>
  );
};

interface BodyProps {
  readonly metadata: Metadata;
  readonly version: Version;
  readonly name: string;
}

const Body = ({ metadata, version, name }: BodyProps) => {
  const text = useText();
  const { action, before, after } = version;
  if (isForgotten(version)) return <Note>{text('history.forgotten')}</Note>;
  const fields = changedFields(metadata, before, after);
  if (fields.length === 0) return <Note>{text('history.nothingChanged')}</Note>;
  const changes = <Changes fields={fields} before={before} after={after} name={name} />;
  return action === 'update' ? changes : <Unfolded count={fields.length}>{changes}</Unfolded>;
};

/** All values of a created or deleted record, folded at first. */
const Unfolded = ({ count, children }: { readonly count: number; readonly children: ReactNode }) => {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        aria-expanded={open}
        startIcon={open ? <Icon name="chevronUp" /> : <Icon name="chevronDown" />}
        onClick={() => setOpen(!open)}
        sx={{ ml: -0.625, mb: open ? 1 : 0 }}
      >
        {text('history.values', { count })}
      </Button>
      {open ? children : null}
    </>
  );
};

const Note = ({ children }: { readonly children: ReactNode }) => (
  <Typography variant="body2" sx={{ color: 'text.secondary', fontStyle: 'italic' }}>
    {children}
  </Typography>
);
