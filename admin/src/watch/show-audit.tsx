/** The page of one line of the audit log. */

import { Address } from '../parts/address.tsx';
import { Time } from '../parts/time.tsx';
import type { OwnColumn } from '../records/own-list.tsx';
import { OwnShow } from '../records/own-show.tsx';
import { useWords } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { AuditActor, AuditTarget } from './audit.tsx';
import { type AuditEntry, AuditFacts } from './audit-detail.tsx';

const facts: readonly OwnColumn<AuditEntry>[] = [
  { name: 'created_at', render: ({ created_at }) => <Time value={created_at} format="full" /> },
  { name: 'actor_name', render: (entry) => <AuditActor entry={entry} /> },
  { name: 'target_name', render: (entry) => <AuditTarget entry={entry} /> },
  { name: 'address', render: ({ address }) => <Address value={address} /> },
];

/** One line of the audit log, with its details in words. */
export const ShowAuditEntry = () => {
  const text = useText();
  const wordOf = useWords('audit');
  return (
    <OwnShow<AuditEntry>
      resource="audit"
      within={text('titles.audit')}
      titleOf={({ action, target_name: name }) =>
        [wordOf('action', action), name].filter((each) => each !== null).join(' ')
      }
      facts={facts}
      actions={() => null}
    >
      {({ detail }) => <AuditFacts detail={detail} />}
    </OwnShow>
  );
};
