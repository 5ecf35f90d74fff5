import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { webhookName } from '../webhooks/webhook.ts';
import { Beneath, Line, listed, Matter } from './matter.tsx';
import { countText, type Statistics } from './stats.ts';
import { WebhookAction } from './webhook-action.tsx';

type Work = Statistics['attention'];

/** Webhooks whose last attempts failed, and that are tried on. */
export const FailingWebhooks = ({ found }: { readonly found: Work['failing_webhooks'] }) => {
  const text = useText();
  return (
    <Matter
      title={text('start.failing')}
      count={countText(found.count)}
      more={<Link to="/webhooks">{text('start.showWebhooks')}</Link>}
    >
      {found.webhooks.slice(0, listed).map(({ id, url, failures }) => (
        <Line key={id}>
          <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link> ·{' '}
          {text('start.times', { count: failures })}
          <WebhookAction webhook={{ id, url }} />
        </Line>
      ))}
    </Matter>
  );
};

/** Faults that enabling alone would not mend: the webhook needs another secret or another user first. */
const needsMore: readonly string[] = ['secret_unreadable', 'no_user'];

/** Webhooks that were disabled because of what became of their messages. */
export const DisabledWebhooks = ({ found }: { readonly found: Work['disabled_webhooks'] }) => {
  const text = useText();
  return (
    <Matter
      title={text('start.webhooks')}
      count={countText(found.count)}
      more={<Link to="/webhooks">{text('start.showWebhooks')}</Link>}
    >
      {found.webhooks.slice(0, listed).map(({ id, url, reason, disabled_at }) => (
        <Line key={id}>
          <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link> ·{' '}
          <RelativeTime value={disabled_at} otherwise="" />
          <Beneath>{text(`webhooks.reasons.${reason}`)}</Beneath>
          {needsMore.includes(reason) ? null : <WebhookAction webhook={{ id, url }} disabled />}
        </Line>
      ))}
    </Matter>
  );
};
