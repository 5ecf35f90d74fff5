import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { AskDeletion } from '../deletion/ask-deletion.tsx';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Facts } from '../parts/facts.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useTell } from '../parts/problem.ts';
import { RelativeTime, Time } from '../parts/time.tsx';
import { useModelName } from '../records/use-metadata.ts';
import { dataProvider, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { ActingUser } from './acting-user.tsx';
import { Deliveries } from './deliveries.tsx';
import { Rotate } from './rotate.tsx';
import { WebhookState } from './states.tsx';
import { actionsText, type Webhook, waitingText, webhookName } from './webhook.ts';

/** A webhook: whether it works, and what was sent to it. */
export const ShowWebhook = () => {
  const { id = '' } = useParams();
  const { data: webhook, error } = useQuery({
    queryKey: ['webhook', id],
    queryFn: async () => (await dataProvider.getOne<Webhook>('webhooks', { id: Number(id) })).data,
  });
  if (error) return <FailurePage error={error} />;
  if (webhook === undefined) return <Waiting />;
  return <Show key={webhook.id} webhook={webhook} />;
};

/** What the receiver said to a message that is for nothing else. */
interface Tested {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly duration: number;
  readonly error: string | null;
}

const Show = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const nameOf = useModelName();
  const [tested, setTested] = useState<Tested>();
  return (
    <Page title={webhookName(webhook)} actions={<Actions webhook={webhook} onTested={setTested} />}>
      <Stack sx={{ gap: 2 }}>
        <Disabled webhook={webhook} />
        {tested === undefined ? null : (
          <Alert
            severity={tested.delivered ? 'success' : 'error'}
            onClose={() => setTested(undefined)}
            closeText={text('common.close')}
          >
            {text(tested.delivered ? 'webhooks.testDelivered' : 'webhooks.testFailed')}
            {tested.status === null ? null : ` ${tested.status} · ${tested.duration} ms`}
            {tested.error === null ? null : ` ${tested.error}`}
          </Alert>
        )}
        <Facts
          facts={[
            [text('webhooks.state'), <WebhookState key="state" webhook={webhook} />],
            [text('webhooks.url'), webhook.url],
            [text('webhooks.models'), webhook.models.map(nameOf).join(text('memberships.separator'))],
            [text('webhooks.actions'), actionsText(text, webhook.actions)],
            [text('webhooks.user'), <ActingUser key="user" webhook={webhook} />],
            [text('webhooks.waiting'), waitingText(webhook.waiting)],
            ...(webhook.previous_until === null || Date.parse(webhook.previous_until) < Date.now()
              ? []
              : [
                  [
                    text('webhooks.previousUntil'),
                    <Time key="previous" value={webhook.previous_until} format="full" />,
                  ] as const,
                ]),
            [text('common.createdAt'), <Time key="created" value={webhook.created_at} format="full" />],
          ]}
        />
        <Deliveries webhook={webhook} />
      </Stack>
    </Page>
  );
};

const useChange = ({ id }: Webhook): ((disabled: boolean) => Promise<void>) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  return async (disabled) => {
    try {
      await send('PATCH', `/admin/webhooks/${id}`, { body: { webhook: { disabled } } });
      notify(text(disabled ? 'webhooks.nowDisabled' : 'webhooks.nowEnabled'), { type: 'success' });
    } catch (error) {
      tell(error);
    }
    await client.invalidateQueries();
  };
};

/** Says that a webhook is off, why, and what to do about it. */
const Disabled = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const change = useChange(webhook);
  const { disabled, disabled_reason: reason, disabled_at: at } = webhook;
  if (!disabled) return null;
  return (
    <Alert
      severity={reason === null || reason === 'by_hand' ? 'info' : 'error'}
      action={
        <Button color="inherit" size="small" onClick={() => void change(false)}>
          {text('webhooks.enable')}
        </Button>
      }
    >
      {text(`webhooks.reasons.${reason ?? 'by_hand'}`)} · <RelativeTime value={at} otherwise="—" />
      {webhook.waiting === 0 ? null : (
        <div>{text('webhooks.waitsUntilEnabled', { count: waitingText(webhook.waiting) })}</div>
      )}
    </Alert>
  );
};

interface ActionsProps {
  readonly webhook: Webhook;
  readonly onTested: (tested: Tested) => void;
}

const Actions = ({ webhook, onTested }: ActionsProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const navigate = useNavigate();
  const change = useChange(webhook);
  const [opened, setOpened] = useState<'rotate' | 'delete'>();
  const [testing, setTesting] = useState(false);
  const close = (): void => setOpened(undefined);
  const test = async (): Promise<void> => {
    setTesting(true);
    try {
      onTested((await send<Tested>('POST', `/admin/webhooks/${webhook.id}/test`)).data);
    } catch (error) {
      tell(error);
    }
    setTesting(false);
  };
  const remove = async (): Promise<void> => {
    try {
      await dataProvider.delete('webhooks', { id: webhook.id });
      notify(text('common.deleted', { count: 1 }), { type: 'success' });
      await navigate('/webhooks');
    } catch (error) {
      tell(error);
      close();
    }
  };
  return (
    <>
      <LinkButton to="/webhooks">{text('common.toList')}</LinkButton>
      <Button loading={testing} onClick={() => void test()}>
        {text('webhooks.test')}
      </Button>
      <Button onClick={() => setOpened('rotate')}>{text('webhooks.rotate')}</Button>
      {webhook.disabled ? null : (
        <Button onClick={() => void change(true)}>{text('webhooks.disable')}</Button>
      )}
      <Button color="error" onClick={() => setOpened('delete')}>
        {text('common.delete')}
      </Button>
      <LinkButton to={`/webhooks/${webhook.id}`} variant="contained">
        {text('common.edit')}
      </LinkButton>
      {opened === 'rotate' ? <Rotate id={webhook.id} onClose={close} /> : null}
      {opened === 'delete' ? (
        <AskDeletion
          title={text('webhooks.deleteTitle')}
          resource="webhooks"
          ids={[webhook.id]}
          onConfirm={remove}
          onClose={close}
        >
          {webhook.url} <br />
          {text('webhooks.deleteLead')}
          {text('common.cannotUndo')}
        </AskDeletion>
      ) : null}
    </>
  );
};
