import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { RelativeTime } from '../parts/time.tsx';
import type { Metadata } from '../records/metadata.ts';
import { useText } from '../texts/provider.ts';
import { Actor } from './actor.tsx';
import { Changes } from './changes.tsx';
import { changedFields, isForgotten, type Version } from './version.ts';

const colours = { create: 'success', update: 'default', destroy: 'error' } as const;

interface VersionCardProps {
  readonly metadata: Metadata;
  readonly version: Version;
  /** Whether the record is as this version left it. */
  readonly isCurrent: boolean;
  readonly actions: ReactNode;
}

/** One version: what was done, by whom, when, and what it changed. */
export const VersionCard = ({ metadata, version, isCurrent, actions }: VersionCardProps) => {
  const text = useText();
  const heading = useId();
  const { action, actor, at } = version;
  const name = text('history.version', { version: version.version });
  return (
    <Paper component="li" variant="outlined" aria-labelledby={heading} sx={{ p: { xs: 1.5, sm: 2 } }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
        <Chip
          size="small"
          variant="outlined"
          color={colours[action]}
          label={text(`history.actions.${action}`)}
        />
        <Typography id={heading} variant="h3" component="h2">
          {name}
        </Typography>
        {isCurrent ? <Chip size="small" color="primary" label={text('history.current')} /> : null}
        <Box sx={{ flexGrow: 1 }} />
        {actions}
      </Box>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1, overflowWrap: 'anywhere' }}>
        <Actor actor={actor} /> · <RelativeTime value={at} />
      </Typography>
      <Body metadata={metadata} version={version} name={name} />
    </Paper>
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

/** All values of a record that came or went: there when they are asked for. */
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
