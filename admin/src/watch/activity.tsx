/** The page with the latest changes of all records that the user may read. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Actor } from '../history/actor.tsx';
import type { VersionActor } from '../history/version.ts';
import { Waiting } from '../layout/waiting.tsx';
import { Failed } from '../parts/failed.tsx';
import { momentText } from '../parts/moment.ts';
import { UserPicker } from '../parts/own-pickers.tsx';
import { Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { ReferenceValue } from '../records/reference-value.tsx';
import { useModel, useModels } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { useLanguage, useText } from '../texts/provider.ts';

/** A change of a record as `/admin/activity` returns it. */
interface ActivityEvent {
  readonly number: number;
  readonly model: string;
  readonly id: number;
  readonly action: 'create' | 'update' | 'destroy';
  readonly at: string;
  readonly actor: VersionActor;
  /** Names of the changed fields. */
  readonly fields: readonly string[];
}

interface ActivityPage {
  readonly events: readonly ActivityEvent[];
  readonly next: string | null;
  readonly kept_days: number;
}

const actions = ['create', 'update', 'destroy'] as const;

/** The filters, which the address holds: dates are days of the user. */
const filterNames = ['model', 'action', 'user', 'from', 'to'] as const;
type Filters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

/** Local midnight of a date, `days` later; undefined for an incomplete date. */
const midnight = (date: string | undefined, days: number): string | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date ?? '') ?? [];
  const at = new Date(Number(year), Number(month) - 1, Number(day) + days);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** The filters as the service takes them. */
const queryOf = ({ model, action, user, from, to }: Filters, after: string | undefined): string => {
  const parts = {
    model,
    action,
    user_id: user,
    since: midnight(from, 0),
    until: midnight(to, 1),
    after,
  };
  const named = Object.entries(parts).filter((part): part is [string, string] => part[1] !== undefined);
  return new URLSearchParams(named).toString();
};

const useActivity = (filters: Filters) =>
  useInfiniteQuery({
    queryKey: ['activity', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await send<ActivityPage>('GET', `/admin/activity?${queryOf(filters, pageParam)}`, { signal })).data,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** The latest changes, newest first and by days. */
export const Activity = () => {
  const text = useText();
  const [parameters, setParameters] = useSearchParams();
  const filters: Filters = Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = parameters.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useActivity(filters);
  const set = (name: keyof Filters, value: string | null): void =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null || value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  const days = data?.pages[0]?.kept_days;
  return (
    <Page
      title={text('titles.activity')}
      lead={days === undefined ? text('activity.lead') : text('activity.leadKept', { days })}
    >
      <Stack sx={{ gap: 2 }}>
        <ActivityFilters filters={filters} onChange={set} />
        {error ? <Failed error={error} onRetry={() => void refetch()} /> : null}
        {data === undefined && !error ? <Waiting /> : null}
        {data !== undefined && events.length === 0 ? (
          <Typography role="status" sx={{ color: 'text.secondary' }}>
            {text(hasNextPage ? 'activity.noneYet' : 'activity.none')}
          </Typography>
        ) : null}
        <Days events={events} />
        {hasNextPage ? (
          <Button
            variant="outlined"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
            sx={{ alignSelf: 'center' }}
          >
            {text('activity.older')}
          </Button>
        ) : null}
      </Stack>
    </Page>
  );
};

interface FiltersProps {
  readonly filters: Filters;
  readonly onChange: (name: keyof Filters, value: string | null) => void;
}

const filtersStyle = {
  display: 'grid',
  gap: 1.5,
  gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', sm: 'repeat(auto-fit, minmax(160px, 1fr))' },
  alignItems: 'end',
  '& .MuiFormControl-root': { m: 0 },
} as const;

const ActivityFilters = ({ filters, onChange }: FiltersProps) => {
  const text = useText();
  const models = useModels().filter(({ events }) => events);
  const chosen = models.find(({ model }) => model === filters.model);
  return (
    <Box sx={filtersStyle}>
      <TextField
        select
        label={text('activity.model')}
        value={chosen?.model ?? ''}
        onChange={(event) => onChange('model', event.target.value)}
        slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
      >
        <MenuItem value="">{text('activity.all')}</MenuItem>
        {models.map(({ model, plural_label: label }) => (
          <MenuItem key={model} value={model}>
            {label}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        select
        label={text('activity.action')}
        value={actions.find((each) => each === filters.action) ?? ''}
        onChange={(event) => onChange('action', event.target.value)}
        slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
      >
        <MenuItem value="">{text('activity.all')}</MenuItem>
        {actions.map((action) => (
          <MenuItem key={action} value={action}>
            {text(`history.actions.${action}`)}
          </MenuItem>
        ))}
      </TextField>
      <UserPicker
        label={text('activity.user')}
        value={/^[1-9]\d{0,14}$/.test(filters.user ?? '') ? Number(filters.user) : null}
        onChange={(id) => onChange('user', id === null ? null : String(id))}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          type="date"
          label={text(`activity.${name}`)}
          value={filters[name] ?? ''}
          onChange={(event) => onChange(name, event.target.value)}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      ))}
    </Box>
  );
};

/** The events of each day, by the clock of the browser. */
const Days = ({ events }: { readonly events: readonly ActivityEvent[] }) => {
  const language = useLanguage();
  const days = Map.groupBy(events, ({ at }) => momentText(language, 'day', new Date(at)));
  return [...days].map(([day, of]) => (
    <Box key={day} component="section" aria-label={day}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {day}
      </Typography>
      <Paper variant="outlined">
        <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
          {of.map((event) => (
            <Event key={event.number} event={event} />
          ))}
        </Box>
      </Paper>
    </Box>
  ));
};

const eventStyle = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '88px minmax(0, 1fr) minmax(0, 220px)' },
  columnGap: 2,
  px: 1.5,
  py: 1,
  borderBottom: 1,
  borderColor: 'divider',
  overflowWrap: 'anywhere',
  '&:last-child': { borderBottom: 0 },
} as const;

/** One change: its time, its record with the changed fields, and its author. */
const Event = ({ event: { model, id, action, at, actor, fields } }: { readonly event: ActivityEvent }) => {
  const text = useText();
  const { data } = useModel(model);
  const labels = fields.map(
    (name) => data?.metadata.fields.find((field) => field.name === name)?.label ?? name,
  );
  // A deleted record has a page only while it can be restored.
  const hasPage = action !== 'destroy' || data?.metadata.trash === true;
  return (
    <Box component="li" sx={eventStyle}>
      <Box component="span" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
        <Time value={at} format="clock" />
      </Box>
      <Box>
        <Box component="span" sx={{ color: action === 'destroy' ? 'error.main' : 'text.secondary' }}>
          {text(`history.actions.${action}`)}
        </Box>{' '}
        {data?.metadata.label ?? model}{' '}
        <Box component="span" sx={{ fontWeight: 500 }}>
          <ReferenceValue model={model} id={id} plain={!hasPage} />
        </Box>
        {action === 'update' && labels.length > 0 ? (
          <Typography component="div" variant="body2" sx={{ color: 'text.secondary' }}>
            {labels.join(text('common.separator'))}
          </Typography>
        ) : null}
      </Box>
      <Box component="span" sx={{ color: 'text.secondary' }}>
        <Actor actor={actor} />
      </Box>
    </Box>
  );
};
