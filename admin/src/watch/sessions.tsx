import Button from '@mui/material/Button';
import { useState } from 'react';
import { useLogout } from 'react-admin';
import { Confirm } from '../parts/confirm.tsx';
import { useTell } from '../parts/problem.ts';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { RelativeTime, Time } from '../parts/time.tsx';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { browserOf } from './user-agent.ts';

interface Session {
  readonly id: number;
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
}

/** In a few words; what it says of itself in full is in the title. */
const Browser = ({ userAgent }: { readonly userAgent: string }) => {
  const text = useText();
  const shown = browserOf(userAgent);
  return <span title={userAgent}>{shown ?? (userAgent || text('sessions.unknownBrowser'))}</span>;
};

const columns = (text: Text): Column<Session>[] => [
  {
    name: 'user_agent',
    label: text('sessions.browser'),
    render: ({ user_agent }) => <Browser userAgent={user_agent} />,
  },
  { name: 'address', label: text('audit.address'), render: ({ address }) => address },
  {
    name: 'created_at',
    label: text('sessions.since'),
    render: ({ created_at }) => <Time value={created_at} />,
  },
  {
    name: 'last_used_at',
    label: text('keys.lastUsedAt'),
    render: ({ last_used_at }) => <RelativeTime value={last_used_at} />,
  },
];

/** One's own sessions, on every device. */
export const Sessions = () => {
  const text = useText();
  const tell = useTell();
  const logout = useLogout();
  const [asking, setAsking] = useState(false);
  const endAll = async (): Promise<void> => {
    try {
      await send('DELETE', '/admin/sessions');
      await logout();
    } catch (error) {
      tell(error);
      setAsking(false);
    }
  };
  return (
    <>
      <RecordListPage<Session>
        resource="sessions"
        title={text('sessions.title')}
        lead={text('sessions.lead')}
        columns={columns(text)}
        filters={[]}
        searchable={false}
        exportable={false}
        empty={text('sessions.empty')}
        actions={
          <Button variant="contained" color="error" onClick={() => setAsking(true)}>
            {text('sessions.endAll')}
          </Button>
        }
      />
      <Confirm
        open={asking}
        title={text('sessions.endAll')}
        action={text('sessions.endAll')}
        onConfirm={endAll}
        onClose={() => setAsking(false)}
      >
        {text('sessions.endAllLead')}
      </Confirm>
    </>
  );
};
