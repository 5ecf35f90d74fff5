/** Links by which users set their passwords: requests, the dialog with a link, and the button that creates one. */

import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { offers } from '../offered.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { User } from './user.ts';

/** True if each link is also sent by mail. */
export const sendsMail = offers('mail');

/** A link by which users set their passwords. */
export interface Invitation {
  readonly url: string;
  readonly expires_at: string;
  /** Address to which the link was sent; null without mail. Absent from instances of an older version. */
  readonly sent_to?: string | null;
}

/** Creates a link; the former one ends. The response is read once, so that no cache may keep it. */
export const makeInvitation = async (userId: number): Promise<Invitation> =>
  (await send<Invitation>('POST', `/admin/users/${userId}/invitation`)).data;

interface InvitationLinkProps {
  readonly username: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** Shows the link once. */
export const InvitationLink = ({ username, invitation, onClose }: InvitationLinkProps) => {
  const text = useText();
  const { url, expires_at: end, sent_to: address } = invitation;
  return (
    <ShownOnce
      title={text('invitations.shownTitle', { name: username })}
      lead={address ? text('invitations.sentLead', { address }) : text('invitations.shownLead')}
      facts={[[text('invitations.validUntil'), <Time key="end" value={end} format="zoned" />]]}
      secrets={[[text(address ? 'invitations.linkInstead' : 'invitations.link'), url]]}
      kept={address ? undefined : text('invitations.confirmCopied')}
      onClose={onClose}
    />
  );
};

/** Creates a link for another user: an invitation if they have no password yet, else a reset. */
export const InviteUser = ({ user }: { readonly user: User }) => {
  const text = useText();
  const { act } = useAct();
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<Invitation>();
  const { id, username, email, invited } = user;
  const address = sendsMail ? email : null;

  const make = async (): Promise<void> => {
    await act(async () => setMade(await makeInvitation(id)));
    setAsking(false);
  };

  return (
    <>
      <Button onClick={() => setAsking(true)}>
        {text(invited ? 'invitations.invite' : 'invitations.reset')}
      </Button>
      <Confirm
        open={asking}
        title={text(invited ? 'invitations.inviteTitle' : 'invitations.resetTitle', { name: username })}
        action={text(address ? 'invitations.send' : 'invitations.create')}
        dangerous={false}
        onConfirm={make}
        onClose={() => setAsking(false)}
      >
        {address ? <Typography>{text('invitations.mailLead', { address })}</Typography> : null}
        <Typography>{text('invitations.lead')}</Typography>
        {invited ? null : <Typography sx={{ mt: 1 }}>{text('invitations.resetKeeps')}</Typography>}
      </Confirm>
      {made === undefined ? null : (
        <InvitationLink username={username} invitation={made} onClose={() => setMade(undefined)} />
      )}
    </>
  );
};
