import { useNotify } from 'ra-core';
import { Confirm } from '../parts/confirm.tsx';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';

interface RevokeKeyProps {
  readonly apiKey: {
    readonly id: number;
    readonly name: string;
    readonly user: { readonly username: string };
  };
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before a key is deleted: whoever calls with it is refused from the next request on. */
export const RevokeKey = ({ apiKey: { id, name, user }, onClose, onDone }: RevokeKeyProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const revoke = async (): Promise<void> => {
    try {
      await send('DELETE', `/admin/api_keys/${id}`);
      notify(text('keys.revoked', { name }), { type: 'success' });
      onDone();
    } catch (error) {
      tell(error);
    }
    onClose();
  };
  return (
    <Confirm
      open
      title={text('keys.revokeTitle', { name })}
      action={text('keys.revoke')}
      onConfirm={revoke}
      onClose={onClose}
    >
      {text('keys.revokeLead', { user: user.username })}
      {text('common.cannotUndo')}
    </Confirm>
  );
};
