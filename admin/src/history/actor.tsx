import { Link } from '../parts/link.tsx';
import { useModelName, useWords } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import type { VersionActor } from './version.ts';

/** The reason that the service stores for a write caused by a deletion: `onDelete: Customer 5`. */
const ofDeletion = /^onDelete: (\w+) (\d+)$/;

const useReason = (): ((reason: string) => string) => {
  const text = useText();
  const nameOf = useModelName('label');
  return (reason) => {
    const [, model, id] = ofDeletion.exec(reason) ?? [];
    if (model === undefined || id === undefined) return reason;
    return text('history.byDeletion', { label: nameOf(model), id });
  };
};

/** The author of a change: a user, with the API key if one was used, an application, or the service with its reason. */
export const Actor = ({ actor: { kind, id, name, key, reason } }: { readonly actor: VersionActor }) => {
  const text = useText();
  const reasonText = useReason();
  const wordOf = useWords('audit');
  const words = name ?? id ?? '';
  return (
    <span>
      {kind === 'user' && id !== null ? (
        <Link to={`/users/${id}/show`}>{words}</Link>
      ) : (
        [wordOf('actor_kind', kind), words].filter((each) => each !== '').join(' ')
      )}
      {key === null ? null : ` · ${text('history.key', { id: key })}`}
      {reason === null ? null : ` · ${reasonText(reason)}`}
    </span>
  );
};
