import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { User } from './user.ts';

/** A link by which a user sets a password of their own. */
export interface Invitation {
  readonly url: string;
  readonly expires_at: string;
}

/** Makes a link; the one before ends. It is answered this once, so that no cache may hold it. */
export const makeInvitation = async (userId: number): Promise<Invitation> =>
  (await send<Invitation>('POST', `/admin/users/${userId}/invitation`)).data;

interface InvitationLinkProps {
  readonly username: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** The link, this once. */
export const InvitationLink = ({ username, invitation, onClose }: InvitationLinkProps) => {
  const text = useText();
  return (
    <ShownOnce
      title={text('people.invite.shownTitle', { name: username })}
      lead={text('people.invite.shownLead')}
      facts={[
        [text('people.invite.endsAt'), <Time key="end" value={invitation.expires_at} format="zoned" />],
      ]}
      secrets={[[text('people.invite.link'), invitation.url]]}
      kept={text('people.invite.kept')}
      onClose={onClose}
    />
  );
};

/** Makes a link for somebody else: an invitation where they have no password yet, else a way to set another one. */
export const InviteUser = ({ user }: { readonly user: User }) => {
  const text = useText();
  const { act } = useAct();
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<Invitation>();
  const { id, username, invited } = user;

  const make = async (): Promise<void> => {
    await act(async () => setMade(await makeInvitation(id)));
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
