/** The sessions and tokens of a user, on the page of the user. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Address } from '../parts/address.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Section } from '../parts/section.tsx';
import { RelativeTime, Time } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { browserOf } from '../watch/user-agent.ts';
import type { User } from './user.ts';

/** The sessions and tokens of a user, as `/admin/users/:id/sessions` returns them. */
interface SignIns {
  readonly sessions: readonly {
    readonly id: number;
    readonly address: string;
    readonly user_agent: string;
    readonly created_at: string;
    readonly last_used_at: string;
    readonly remembered: boolean;
  }[];
  readonly tokens: {
    readonly latest_expiry: string | null;
    readonly revoked_up_to: string | null;
    readonly revoked: readonly string[];
  };
}

interface SignInsOfProps {
  readonly user: Pick<User, 'id' | 'username'>;
  /** True if the caller may sign this user out here. */
  readonly canEnd: boolean;
}

/** The sessions and known tokens of a user, and the button that ends all of them. */
export const SignInsOf = ({ user, canEnd }: SignInsOfProps) => {
  const text = useText();
  const { act } = useAct();
  const [asking, setAsking] = useState(false);
  const { data } = useQuery({
    queryKey: ['sign-ins', user.id],
    queryFn: async () => (await send<SignIns>('GET', `/admin/users/${user.id}/sessions`)).data,
  });
  const end = async (): Promise<void> => {
    await act(() => send('POST', `/admin/users/${user.id}/logout`), text('users.sessionsEnded'));
    setAsking(false);
  };
  return (
    <Section
      title={text('signIns.title')}
      actions={
        canEnd ? (
          <Button variant="outlined" onClick={() => setAsking(true)}>
            {text('users.endSessions')}
          </Button>
        ) : undefined
      }
    >
      {data === undefined ? null : (
        <Paper
          variant="outlined"
          sx={{ p: 2, display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}
        >
          <Sessions sessions={data.sessions} />
          <Tokens tokens={data.tokens} />
        </Paper>
      )}
      <Confirm
        open={asking}
        title={text('users.endSessionsTitle', { name: user.username })}
        action={text('users.endSessions')}
        onConfirm={end}
        onClose={() => setAsking(false)}
      >
        {text('users.endSessionsLead')}
      </Confirm>
    </Section>
  );
};

const Sessions = ({ sessions }: Pick<SignIns, 'sessions'>) => {
  const text = useText();
  return (
    <div>
      <Typography variant="h3">{text('signIns.sessions')}</Typography>
      {sessions.length === 0 ? (
        <Typography sx={{ color: 'text.secondary' }}>{text('signIns.none')}</Typography>
      ) : (
        <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 0.5 }}>
          {sessions.map(({ id, user_agent, address, created_at, last_used_at, remembered }) => (
            <Typography key={id} component="li" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
              <span title={user_agent}>
                {browserOf(user_agent) ?? (user_agent || text('sessions.unknownBrowser'))}
              </span>{' '}
              {remembered ? <>· {text('sessions.remembered')} </> : null}· <Address value={address} />{' '}
              <Box component="span" sx={{ color: 'text.secondary' }}>
                · {text('signIns.since')}
                <Time value={created_at} format="full" /> · {text('signIns.lastUsed')}
                <RelativeTime value={last_used_at} />
              </Box>
            </Typography>
          ))}
        </Box>
      )}
    </div>
  );
};

const Tokens = ({ tokens: { latest_expiry, revoked_up_to, revoked } }: Pick<SignIns, 'tokens'>) => {
  const text = useText();
  return (
    <div>
      <Typography variant="h3">{text('signIns.tokens')}</Typography>
      <Typography variant="body2" component="div">
        {latest_expiry === null ? (
          text('signIns.noValidToken')
        ) : (
          <>
            {text('signIns.lastTokenExpires')}
            <Time value={latest_expiry} format="full" />
          </>
        )}
        {revoked_up_to === null ? null : (
          <div>
            {text('signIns.revokedUpTo')}
            <Time value={revoked_up_to} format="full" />
          </div>
        )}
        {revoked.length === 0 ? null : (
          <div>{text('signIns.signedOut', { smart_count: revoked.length })}</div>
        )}
        <Box sx={{ color: 'text.secondary' }}>{text('signIns.tokensNotListed')}</Box>
      </Typography>
    </div>
  );
};
