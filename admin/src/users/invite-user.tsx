import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { useTell } from '../parts/problem.ts';
import { useText } from '../texts/provider.ts';
import { type Invitation, InvitationLink, makeInvitation } from './invitation-link.tsx';
import type { User } from './user.ts';

/** Makes a link for somebody else: an invitation where they have no password yet, else a way to set another one. */
export const InviteUser = ({ user }: { readonly user: User }) => {
  const text = useText();
  const tell = useTell();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<Invitation>();
  const { id, username, invited } = user;

  const make = async (): Promise<void> => {
    try {
      setMade(await makeInvitation(id));
      await client.invalidateQueries();
    } catch (error) {
      tell(error);
    }
    setAsking(false);
  };

  return (
    <>
      <Button onClick={() => setAsking(true)}>
        {text(invited ? 'people.invite.invite' : 'people.invite.reset')}
      </Button>
      <Confirm
        open={asking}
        title={text(invited ? 'people.invite.inviteTitle' : 'people.invite.resetTitle', { name: username })}
        action={text('people.invite.make')}
        dangerous={false}
        onConfirm={make}
        onClose={() => setAsking(false)}
      >
        <Typography>{text('people.invite.lead')}</Typography>
        {invited ? null : <Typography sx={{ mt: 1 }}>{text('people.invite.resetKeeps')}</Typography>}
      </Confirm>
      {made === undefined ? null : (
        <InvitationLink username={username} invitation={made} onClose={() => setMade(undefined)} />
      )}
    </>
  );
};
