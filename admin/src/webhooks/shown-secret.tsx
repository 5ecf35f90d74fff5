import { ShownOnce } from '../parts/shown-once.tsx';
import { useText } from '../texts/provider.ts';

interface ShownSecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** The secret by which a receiver knows who sends, this once. */
export const ShownSecret = ({ title, secret, onClose }: ShownSecretProps) => {
  const text = useText();
  return (
    <ShownOnce
      title={title}
      lead={text('webhooks.secretLead')}
      secrets={[[text('webhooks.secret'), secret]]}
      kept={text('webhooks.confirmStored')}
      onClose={onClose}
    />
  );
};
