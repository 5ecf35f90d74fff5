import { basePath } from '../base.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';

export interface NewApiKey {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly expires_at: string | null;
}

export interface CreatedApiKey extends NewApiKey {
  /** Whose it is, by username. */
  readonly owner: string;
}

interface CreatedKeyProps {
  readonly created: CreatedApiKey;
  readonly onClose: () => void;
}

/** The whole key, this once, with a command that works as it stands. */
export const CreatedKey = ({ created: { name, key, owner, expires_at }, onClose }: CreatedKeyProps) => {
  const text = useText();
  const address = `${window.location.origin}${basePath}/api/v1/users`;
  return (
    <ShownOnce
      title={text('keys.createdTitle', { name })}
      lead={text('keys.createdLead')}
      facts={[
        [text('keys.owner'), owner],
        [
          text('keys.expiresAt'),
          <Time key="end" value={expires_at} format="zoned" otherwise={text('keys.neverExpires')} />,
        ],
      ]}
      secrets={[
        [text('keys.key'), key],
        [text('keys.curl'), `curl -H 'X-Api-Key: ${key}' ${address}`],
      ]}
      kept={text('keys.kept')}
      onClose={onClose}
    />
  );
};
