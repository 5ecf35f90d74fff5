import { basePath } from '../base.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useText } from '../texts/provider.ts';

export interface NewApiKey {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly expires_at: string | null;
}

interface CreatedKeyProps {
  readonly created: NewApiKey;
  readonly onClose: () => void;
}

/** The whole key, this once, with a command that works as it stands. */
export const CreatedKey = ({ created: { name, key }, onClose }: CreatedKeyProps) => {
  const text = useText();
  const address = `${window.location.origin}${basePath}/api/v1/users`;
  return (
    <ShownOnce
      title={text('keys.createdTitle', { name })}
      lead={text('keys.createdLead')}
      secrets={[
        [text('keys.key'), key],
        [text('keys.curl'), `curl -H 'X-Api-Key: ${key}' ${address}`],
      ]}
      kept={text('keys.kept')}
      onClose={onClose}
    />
  );
};
