/** The page of a webhook: its state, its actions and its deliveries. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { AskDeletion } from '../deletion/ask-deletion.tsx';
import { LinkButton } from '../parts/link.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import type { OwnColumn } from '../records/own-list.tsx';
import { OwnShow } from '../records/own-show.tsx';
import { useModelName, useWords } from '../records/use-metadata.ts';
import { dataProvider, send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { Deliveries } from './deliveries.tsx';
import { Failing, FailureReason, rereadingOf } from './failing.tsx';
import { Rotate } from './rotate.tsx';
import { ActingUser, isSwitchedOff, WebhookState } from './states.tsx';
import { actionsText, type Webhook, waitingText, webhookName } from './webhook.ts';

/** The response of the receiver to a test message. */
interface Tested {
  /** Id of the webhook. */
  readonly webhook: number;
  readonly delivered: boolean;
  readonly status: number | null;
  readonly duration: number;
  readonly error: string | null;
}

const facts = (text: Text, nameOf: (model: string) => string): OwnColumn<Webhook>[] => [
  {
    name: 'disabled',
    label: text('webhooks.state'),
    render: (webhook) => <WebhookState webhook={webhook} />,
  },
  'url',
  { name: 'models', render: ({ models }) => models.map(nameOf).join(text('common.separator')) },
  { name: 'actions', render: ({ actions }) => actionsText(text, actions) },
  { name: 'username', render: (webhook) => <ActingUser webhook={webhook} /> },
  { name: 'managed', has: ({ managed }) => managed },
  { name: 'waiting', render: ({ waiting }) => waitingText(waiting) },
  {
    name: 'previous_until',
    has: ({ previous_until: until }) => until !== null && Date.parse(until) >= Date.now(),
  },
  'created_at',
];

/** The page of a webhook: its state and its deliveries. */
export const ShowWebhook = () => {
  const text = useText();
  const nameOf = useModelName();
  const [tested, setTested] = useState<Tested>();
  return (
    <OwnShow<Webhook>
      resource="webhooks"
      within={text('titles.webhooks')}
      titleOf={webhookName}
      facts={facts(text, nameOf)}
      rereadingOf={rereadingOf}
      actions={(webhook) => <Actions webhook={webhook} onTested={setTested} />}
      notice={(webhook) => (
        <>
          <Disabled webhook={webhook} />
          <Failing webhook={webhook} />
          {tested === undefined || tested.webhook !== webhook.id ? null : (
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
        </>
      )}
    >
      {(webhook) => <Deliveries webhook={webhook} />}
    </OwnShow>
  );
};

/** Disables or enables a webhook. */
const useSwitch = ({ id }: Webhook): ((disabled: boolean) => Promise<void>) => {
  const text = useText();
  const { act } = useAct();
  return (disabled) =>
    act(
      () => send('PATCH', `/admin/webhooks/${id}`, { body: { webhook: { disabled } } }),
      text(disabled ? 'webhooks.nowDisabled' : 'webhooks.nowEnabled'),
    );
};

/** Shows that a webhook is disabled, with the reason and the remedy. */
const Disabled = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const wordOf = useWords('webhooks');
  const change = useSwitch(webhook);
  const { disabled, disabled_reason: reason, disabled_at: at } = webhook;
  if (!disabled) return null;
  return (
    <Alert
      severity={isSwitchedOff(webhook) ? 'info' : 'error'}
      action={
        <Button color="inherit" size="small" onClick={() => void change(false)}>
          {text('webhooks.enable')}
        </Button>
      }
    >
      {wordOf('disabled_reason', reason ?? 'by_hand')} · <RelativeTime value={at} otherwise="—" />
      <FailureReason webhook={webhook} />
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
  const navigate = useNavigate();
  const change = useSwitch(webhook);
  const { act } = useAct();
  const { busy: testing, act: actTest } = useAct();
  const [opened, setOpened] = useState<'rotate' | 'delete'>();
  const close = (): void => setOpened(undefined);
  const test = (): Promise<void> =>
    actTest(async () => {
      const { data } = await send<Omit<Tested, 'webhook'>>('POST', `/admin/webhooks/${webhook.id}/test`);
      onTested({ ...data, webhook: webhook.id });
    });
  const remove = async (): Promise<void> => {
    const done = text('common.deleted', { count: 1 });
    await act(
      () => dataProvider.delete('webhooks', { id: webhook.id }),
      done,
      () => navigate('/webhooks'),
    );
    close();
  };
  return (
    <>
      <Button variant="outlined" loading={testing} onClick={() => void test()}>
        {text('webhooks.test')}
      </Button>
      <LinkButton to={`/webhooks/${webhook.id}`} variant="contained" shortcut="e">
        {text('common.edit')}
      </LinkButton>
      <MoreMenu
        items={[
          { label: text('webhooks.rotate'), onClick: () => setOpened('rotate') },
          ...(webhook.disabled
            ? []
            : [{ label: text('webhooks.disable'), onClick: () => void change(true) }]),
          { label: text('common.delete'), dangerous: true, onClick: () => setOpened('delete') },
        ]}
      />
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
