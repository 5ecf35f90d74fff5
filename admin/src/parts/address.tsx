import { Fragment } from 'react';

/** A network address. An IPv6 address may break after its colons, as it is wider than a column; others stay whole. */
export const Address = ({ value }: { readonly value: string | null }) => {
  if (value === null) return <span>—</span>;
  const groups = value.split(':');
  return (
    <span style={{ whiteSpace: groups.length === 1 ? 'nowrap' : 'normal' }}>
      {groups.map((group, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups are alike, and never move
        <Fragment key={place}>
          {group}
          {place === groups.length - 1 ? null : (
            <>
              :<wbr />
            </>
          )}
        </Fragment>
      ))}
    </span>
  );
};
