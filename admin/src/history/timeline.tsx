import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import type { Metadata } from '../records/metadata.ts';
import { recordsPrefix, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Actor } from './actor.tsx';
import { changedFields, historyPath, isForgotten, type Version } from './version.ts';

/** Versions that stand on a record's page; the others are on that of its history. */
const latest = 5;

interface TimelineProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: number;
}

/** The latest changes of a record: who, when, and which fields. */
export const Timeline = ({ metadata, path, id }: TimelineProps) => {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['timeline', path, id],
    queryFn: async ({ signal }) => {
      const address = `/admin/${recordsPrefix}${path}/${id}/history?per_page=${latest}`;
      const { data: versions, headers } = await send<readonly Version[]>('GET', address, { signal });
      return { versions, total: Number(headers.get('x-total-count') ?? versions.length) };
    },
  });
  if (data === undefined || data.versions.length === 0) return null;
  return (
    <Stack component="section" sx={{ mt: 3, gap: 1 }}>
      <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <Typography variant="h2" sx={{ flexGrow: 1 }}>
          {text('history.latest')}
        </Typography>
        <LinkButton to={historyPath(path, id)} size="small">
          {text('history.all', { count: data.total })}
        </LinkButton>
      </Stack>
      <Paper variant="outlined" component="ol" sx={{ m: 0, p: { xs: 2, sm: 2.5 }, listStyle: 'none' }}>
        {data.versions.map((version, index) => (
          <Entry
            key={version.version}
            metadata={metadata}
            version={version}
            isLast={index === data.versions.length - 1}
          />
        ))}
      </Paper>
    </Stack>
  );
};

const dots = { create: 'success.main', update: 'primary.main', destroy: 'error.main' } as const;

interface EntryProps {
  readonly metadata: Metadata;
  readonly version: Version;
  readonly isLast: boolean;
}

const Entry = ({ metadata, version, isLast }: EntryProps) => (
  <Box
    component="li"
    sx={{
      position: 'relative',
      pl: 3,
      pb: isLast ? 0 : 1.75,
      '&::before': {
        content: '""',
        position: 'absolute',
        left: 4,
        top: 6,
        width: 9,
        height: 9,
        borderRadius: '50%',
        bgcolor: dots[version.action],
      },
      '&::after': isLast
        ? {}
        : {
            content: '""',
            position: 'absolute',
            left: 8,
            top: 19,
            bottom: -2,
            width: '1px',
            bgcolor: 'divider',
          },
    }}
  >
    <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
      <What metadata={metadata} version={version} />
    </Typography>
    <Typography variant="body2" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
      <Actor actor={version.actor} /> · <RelativeTime value={version.at} />
    </Typography>
  </Box>
);

const What = ({ metadata, version }: Omit<EntryProps, 'isLast'>) => {
  const text = useText();
  const { action, before, after } = version;
  const done = text(`history.actions.${action}`);
  if (action !== 'update' || isForgotten(version)) return <strong>{done}</strong>;
  const labels = changedFields(metadata, before, after).map(({ label }) => label);
  return (
    <>
      <strong>{done}</strong> {labels.join(text('memberships.separator'))}
    </>
  );
};
