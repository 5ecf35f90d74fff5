/** The changes within a long text. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useMemo, useState } from 'react';
import { visuallyHidden } from '../parts/visually-hidden.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { foldUnchanged, type Stretch, textDiff } from './text-diff.ts';

interface TextChangeProps {
  readonly before: string;
  readonly after: string;
  readonly name: string;
  readonly code?: boolean;
}

/** The changes within a long text: removals are struck through, additions underlined, unchanged text is folded. */
export const TextChange = ({ before, after, name, code = false }: TextChangeProps) => {
  const text = useText();
  const [whole, setWhole] = useState(false);
  const stretches = useMemo(() => textDiff(before, after), [before, after]);
  const near = useMemo(() => foldUnchanged(stretches), [stretches]);
  const isFolded = near.some(({ text: shown, place }) => shown !== stretches[place]?.text);
  return (
    <>
      <Box
        role="region"
        aria-label={name}
        tabIndex={0}
        sx={{
          p: 1,
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          bgcolor: 'background.default',
          maxHeight: 360,
          overflow: 'auto',
          whiteSpace: 'pre-wrap',
          ...(code ? { fontFamily: monospace, fontSize: 12.5 } : {}),
        }}
      >
        {(whole ? stretches : near).map((stretch) => (
          <Part key={stretch.place} {...stretch} />
        ))}
      </Box>
      {isFolded ? (
        <Button size="small" onClick={() => setWhole(!whole)} aria-expanded={whole} sx={{ ml: -0.625 }}>
          {text(whole ? 'history.fold' : 'history.unfold')}
        </Button>
      ) : null}
    </>
  );
};

const Part = ({ kind, text: words }: Stretch) => {
  const text = useText();
  if (kind === 'same') return <span>{words}</span>;
  const removed = kind === 'removed';
  return (
    <Box
      component={removed ? 'del' : 'ins'}
      sx={{
        color: removed ? 'error.main' : 'success.main',
        textDecoration: removed ? 'line-through' : 'underline',
        textUnderlineOffset: 3,
      }}
    >
      <Box component="span" sx={visuallyHidden}>
        {text(removed ? 'history.removed' : 'history.added')}{' '}
      </Box>
      {words}
    </Box>
  );
};
