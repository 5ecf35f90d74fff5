import { ShownOnce } from '../parts/shown-once.tsx';
import { useText } from '../texts/provider.ts';

interface ShownSecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows the secret by which receivers verify signatures, once. */
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
