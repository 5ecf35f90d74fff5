import Button from '@mui/material/Button';
import { lazy, Suspense, useId, useState } from 'react';
import { useText } from '../texts/provider.ts';
import { Icon } from './icon.tsx';
import type { ViewChoice } from './view-options.tsx';

const ViewOptions = lazy(() =>
  import('./view-options.tsx').then(({ ViewOptions: part }) => ({ default: part })),
);

/** Opens the choice of columns and density. */
export const ViewButton = (props: ViewChoice) => {
  const text = useText();
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Button
        startIcon={<Icon name="columns" />}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {text('list.view')}
      </Button>
      {anchor === null ? null : (
        <Suspense fallback={null}>
          <ViewOptions {...props} id={id} anchor={anchor} onClose={() => setAnchor(null)} />
        </Suspense>
      )}
    </>
  );
};
