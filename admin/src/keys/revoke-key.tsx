import { Confirm } from '../parts/confirm.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';

interface RevokeKeyProps {
  readonly apiKey: {
    readonly id: number;
    readonly name: string;
    readonly user: { readonly username: string };
  };
  readonly onClose: () => void;
  /** Leaves the page of the key. */
  readonly onLeave?: () => void;
}

/** Asks before a key is revoked: requests with it are rejected from then on. */
export const RevokeKey = ({ apiKey: { id, name, user }, onClose, onLeave }: RevokeKeyProps) => {
  const text = useText();
  const { act } = useAct();
  const revoke = async (): Promise<void> => {
    await act(() => send('DELETE', `/admin/api_keys/${id}`), text('keys.revoked', { name }), onLeave);
    onClose();
  };
  return (
    <Confirm
      open
      title={text('keys.revokeTitle', { name })}
      action={text('common.revoke')}
      onConfirm={revoke}
      onClose={onClose}
    >
      {text('keys.revokeLead', { user: user.username })}
      {text('common.cannotUndo')}
    </Confirm>
  );
};
