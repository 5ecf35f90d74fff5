import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useModelName, useModels } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { webhookName } from '../webhooks/webhook.ts';
import { DisableUser } from './disable-user.tsx';
import { KeyActions } from './key-actions.tsx';
import { countText, type Statistics } from './stats.ts';

interface MatterProps {
  readonly title: string;
  readonly count: string;
  /** Whether there is anything to do. */
  readonly calm: boolean;
  readonly calmText: string;
  readonly more?: ReactNode;
  readonly children: ReactNode;
}

const Matter = ({ title, count, calm, calmText, more, children }: MatterProps) => (
  <Paper variant="outlined" component="li" sx={{ p: 2, display: 'flex', flexDirection: 'column', gap: 0.75 }}>
    <Typography variant="h3" component="h2" sx={{ color: 'text.secondary' }}>
      {title}
    </Typography>
    <Typography
      component="p"
      sx={{
        fontSize: 28,
        fontWeight: 650,
        lineHeight: 1.1,
        color: calm ? 'text.primary' : 'warning.main',
        fontVariantNumeric: 'tabular-nums',
      }}
    >
      {count}
    </Typography>
    {calm ? (
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {calmText}
      </Typography>
    ) : (
      <Stack component="ul" sx={{ m: 0, p: 0, listStyle: 'none', gap: 0.25 }}>
        {children}
      </Stack>
    )}
    {more === undefined || calm ? null : <Box sx={{ mt: 'auto', pt: 0.5, typography: 'body2' }}>{more}</Box>}
  </Paper>
);

const Line = ({ children }: { readonly children: ReactNode }) => (
  <Typography component="li" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
    {children}
  </Typography>
);

const day = 86_400_000;

/** A filter as the address of a list holds it. */
const filtered = (path: string, filter: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams({ filter: JSON.stringify(filter), page: '1' })}`;

/** The entries that the count of failed sign-ins counts. */
const failedFilter = (now: number): Readonly<Record<string, string>> => ({
  'action@in': 'sign_in.failed,sign_in.locked',
  'created_at@gte': new Date(now - day).toISOString(),
});

const listed = 3;

/** Keys that end soon or lie unused, resources without rules, sign-ins that failed, disabled webhooks. */
export const Attention = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const nameOf = useModelName();
  const { expiring_keys: expiring, neglected_keys: unused, open_resources: open } = statistics.attention;
  const { disabled_webhooks: disabled } = statistics.attention;
  const failed = (points: Statistics['last_24_hours']): number =>
    points.reduce((sum, point) => sum + point.failed_sign_ins, 0);
  const month = failed(statistics.last_30_days);
  const {
    failed_sign_ins: failures,
    ungranted_models: ungranted,
    failing_webhooks: failing,
  } = statistics.attention;
  const now = Date.now();
  const models = useModels();
  const soon = {
    'expires_at@gte': new Date(now).toISOString(),
    'expires_at@lte': new Date(now + 30 * day).toISOString(),
  };
  return (
    <Box
      component="ul"
      aria-label={text('start.attention')}
      sx={{
        m: 0,
        p: 0,
        listStyle: 'none',
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 200px), 1fr))',
      }}
    >
      <Matter
        title={text('start.expiring')}
        count={countText(expiring.count)}
        calm={expiring.count === 0}
        calmText={text('start.noneExpiring')}
        more={<Link to={filtered('/api_keys', soon)}>{text('start.showExpiring')}</Link>}
      >
        {expiring.keys.slice(0, listed).map((apiKey) => (
          <Line key={apiKey.id}>
            <Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link> ·{' '}
            <Link to={`/users/${apiKey.user.id}/show`}>{apiKey.user.username}</Link> ·{' '}
            <RelativeTime value={apiKey.expires_at} />
            <KeyActions apiKey={apiKey} ending />
          </Line>
        ))}
      </Matter>
      <Matter
        title={text('start.unused')}
        count={countText(unused.count)}
        calm={unused.count === 0}
        calmText={text('start.noneUnused')}
        more={<Link to={filtered('/api_keys', { 'neglected@eq': 'true' })}>{text('start.showUnused')}</Link>}
      >
        {unused.keys.slice(0, listed).map((apiKey) => (
          <Line key={apiKey.id}>
            <Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link> ·{' '}
            <Link to={`/users/${apiKey.user.id}/show`}>{apiKey.user.username}</Link>
            <KeyActions apiKey={apiKey} ending={false} />
          </Line>
        ))}
      </Matter>
      <Matter
        title={text('start.open')}
        count={String(open.length)}
        calm={open.length === 0}
        calmText={text('start.noneOpen')}
        more={
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            {text('start.openHelp')}
          </Typography>
        }
      >
        {open.slice(0, listed).map(({ model, path }) => (
          <Line key={model}>
            <Link to={`/records/${path}`}>{nameOf(model)}</Link>
          </Line>
        ))}
      </Matter>
      <Matter
        title={text('start.failed')}
        count={countText(failures.count)}
        calm={failures.count === 0}
        calmText={text('start.failedMonth', { count: month })}
        more={<Link to={filtered('/audit', failedFilter(now))}>{text('start.showFailed')}</Link>}
      >
        {failures.sign_ins.slice(0, listed).map(({ user, address, count, last_at }) => (
          <Line key={`${user?.id} ${address}`}>
            {user === null ? (
              text('start.unknownAccount')
            ) : (
              <Link to={`/users/${user.id}/show`}>{user.username}</Link>
            )}
            {' · '}
            {address ?? '—'} · {text('start.times', { count })} · <RelativeTime value={last_at} />
            {user === null ? null : (
              <div>
                <DisableUser user={user} />
              </div>
            )}
          </Line>
        ))}
        <Line>{text('start.failedMonth', { count: month })}</Line>
      </Matter>
      {ungranted.length === 0 ? null : (
        <Matter
          title={text('start.ungranted')}
          count={String(ungranted.length)}
          calm={false}
          calmText=""
          more={<Link to="/permissions">{text('start.setRules')}</Link>}
        >
          {ungranted.slice(0, listed).map(({ model, path }) => (
            <Line key={model}>
              <Link to={`/records/${path}`}>{nameOf(model)}</Link>
            </Line>
          ))}
        </Matter>
      )}
      {failing.count === 0 ? null : (
        <Matter
          title={text('start.failing')}
          count={countText(failing.count)}
          calm={false}
          calmText=""
          more={<Link to="/webhooks">{text('start.showWebhooks')}</Link>}
        >
          {failing.webhooks.slice(0, listed).map(({ id, url, failures: times }) => (
            <Line key={id}>
              <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link> ·{' '}
              {text('start.times', { count: times })}
            </Line>
          ))}
        </Matter>
      )}
      {models.some(({ events }) => events) ? (
        <Matter
          title={text('start.webhooks')}
          count={countText(disabled.count)}
          calm={disabled.count === 0}
          calmText={text('start.noneDisabled')}
          more={<Link to="/webhooks">{text('start.showWebhooks')}</Link>}
        >
          {disabled.webhooks.slice(0, listed).map(({ id, url, disabled_at }) => (
            <Line key={id}>
              <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link> ·{' '}
              <RelativeTime value={disabled_at} otherwise="" />
            </Line>
          ))}
        </Matter>
      ) : null}
    </Box>
  );
};
