import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';

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
