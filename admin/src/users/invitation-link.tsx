import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { filled, useOwnTexts } from '../account-links/texts.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
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
  const own = useOwnTexts();
  return (
    <ShownOnce
      title={filled(own.invite.shownTitle, { name: username })}
      lead={own.invite.shownLead}
      facts={[[own.invite.endsAt, <Time key="end" value={invitation.expires_at} format="zoned" />]]}
      secrets={[[own.invite.link, invitation.url]]}
      kept={own.invite.kept}
      onClose={onClose}
    />
  );
};

/** Makes a link for somebody else: an invitation where they have no password yet, else a way to set another one. */
export const InviteUser = ({ user }: { readonly user: User }) => {
  const own = useOwnTexts();
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
      <Button onClick={() => setAsking(true)}>{invited ? own.invite.invite : own.invite.reset}</Button>
      <Confirm
        open={asking}
        title={filled(invited ? own.invite.inviteTitle : own.invite.resetTitle, { name: username })}
        action={own.invite.make}
        dangerous={false}
        onConfirm={make}
        onClose={() => setAsking(false)}
      >
        <Typography>{own.invite.lead}</Typography>
        {invited ? null : <Typography sx={{ mt: 1 }}>{own.invite.resetKeeps}</Typography>}
      </Confirm>
      {made === undefined ? null : (
        <InvitationLink username={username} invitation={made} onClose={() => setMade(undefined)} />
      )}
    </>
  );
};
