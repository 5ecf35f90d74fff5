/** The page of the own sessions. */

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useLogout } from 'ra-core';
import { useState } from 'react';
import { Address } from '../parts/address.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Status } from '../parts/status.tsx';
import { useAct } from '../parts/use-act.ts';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { browserOf } from './user-agent.ts';

interface Session {
  readonly id: number;
  /** True for the session of this page. */
  readonly current: boolean;
  /** True for a long sign-in to the API. */
  readonly remembered: boolean;
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
}

/** The browser in a few words; the title has the whole header. */
const Browser = ({ userAgent }: { readonly userAgent: string }) => {
  const text = useText();
  const shown = browserOf(userAgent);
  return <span title={userAgent}>{shown ?? (userAgent || text('sessions.unknownBrowser'))}</span>;
};

const columns = (text: Text, onEnd: (session: Session) => void): OwnColumn<Session>[] => [
  {
    name: 'user_agent',
    render: ({ user_agent, current, remembered }) => (
      <Stack direction="row" sx={{ gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        {/* The blank is for the line of a card, which has no gaps. */}
        <Browser userAgent={user_agent} />{' '}
        {current ? <Status tone="good">{text('sessions.current')}</Status> : null}
        {remembered ? <Status tone="off">{text('sessions.remembered')}</Status> : null}
      </Stack>
    ),
  },
  { name: 'address', render: ({ address }) => <Address value={address} /> },
  { name: 'created_at', wide: false },
  'last_used_at',
  {
    name: 'end',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    has: ({ current }) => !current,
    // The session of this page is ended by signing out.
    render: (session) =>
      session.current ? null : (
        <Button
          size="small"
          aria-label={text('sessions.endOf', {
            browser: browserOf(session.user_agent) ?? text('sessions.unknownBrowser'),
          })}
          onClick={() => onEnd(session)}
        >
          {text('sessions.end')}
        </Button>
      ),
  },
];

/** The own sessions on all devices. */
export const Sessions = () => {
  const text = useText();
  const logout = useLogout();
  const { act } = useAct();
  const [asking, setAsking] = useState<'all' | 'others'>();
  const [ending, setEnding] = useState<Session>();
  const endOne = async (): Promise<void> => {
    await act(() => send('DELETE', `/admin/sessions/${ending?.id}`), text('sessions.ended'));
    setEnding(undefined);
  };
  const endAll = async (): Promise<void> => {
    await act(
      () => send('DELETE', '/admin/sessions'),
      undefined,
      () => logout(),
    );
    setAsking(undefined);
  };
  const endOthers = async (): Promise<void> => {
    await act(() => send('DELETE', '/admin/sessions?others=true'), text('sessions.endedOthers'));
    setAsking(undefined);
  };
  return (
    <>
      <OwnList<Session>
        resource="sessions"
        title={text('titles.sessions')}
        lead={text('sessions.lead')}
        columns={columns(text, setEnding)}
        hidden={['id', 'current', 'remembered']}
        filters={[]}
        searchable={false}
        exportable={false}
        empty={text('sessions.empty')}
        actions={
          <>
            <Button onClick={() => setAsking('all')}>{text('sessions.endAll')}</Button>
            <Button variant="outlined" onClick={() => setAsking('others')}>
              {text('sessions.endOthers')}
            </Button>
          </>
        }
      />
      <Confirm
        open={asking === 'all'}
        title={text('sessions.endAll')}
        action={text('sessions.endAll')}
        onConfirm={endAll}
        onClose={() => setAsking(undefined)}
      >
        {text('sessions.endAllLead')}
      </Confirm>
      <Confirm
        open={asking === 'others'}
        title={text('sessions.endOthers')}
        action={text('sessions.endOthers')}
        onConfirm={endOthers}
        onClose={() => setAsking(undefined)}
      >
        {text('sessions.endOthersLead')}
      </Confirm>
      <Confirm
        open={ending !== undefined}
        title={text('sessions.endTitle')}
        action={text('sessions.end')}
        onConfirm={endOne}
        onClose={() => setEnding(undefined)}
      >
        {ending === undefined
          ? ''
          : `${browserOf(ending.user_agent) ?? ending.user_agent} · ${ending.address}`}
        <br />
        {text(ending?.remembered === true ? 'sessions.endLongLead' : 'sessions.endLead')}
      </Confirm>
    </>
  );
};
